/** The id of the object that a problem is shown on: the innermost one around it, or the entry for problems of the route itself. */
export function nodeOfProblem(pointer: string, ids: readonly string[], entry: string): string {
  const around = ids.filter((id) => pointer === id || pointer.startsWith(`${id}/`))
  return around.reduce((best, id) => (id.length > best.length ? id : best), '') || entry
}
