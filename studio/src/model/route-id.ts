const ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/
const RESERVED = /^(?:default|__proto__|con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i

/** Why a route can not have an id; null where it can. The gateway checks again when the route is deployed. */
export function idProblem(id: string, taken: readonly string[]): string | null {
  if (id === '') return 'A route needs an ID.'
  if (!ID.test(id)) return 'An ID has 1 to 128 letters, digits, ".", "_" and "-", and does not start with a dot.'
  if (RESERVED.test(id)) return `"${id}" is reserved.`
  const other = taken.find((one) => one.toLowerCase() === id.toLowerCase())
  return other === undefined ? null : `There is a route "${other}" already.`
}

/** The id for a file that is imported: its name as far as an id may have it. */
export function idOfFile(name: string): string {
  const id = name
    .replace(/\.json$/i, '')
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^\.+/, '')
    .slice(0, 128)
  return idProblem(id, []) === null ? id : 'imported'
}
