/** The environment variables with a listed name; `*` in a name matches any characters. */
export function listedVariables(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  if (names.length === 0) return found
  const patterns = names.map((name) => name.split('*'))
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && patterns.some((parts) => fits(name, parts))) found.set(name, value)
  }
  return found
}

/** Whether a string consists of the parts in order, with anything between them. */
function fits(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts
  if (rest.length === 0) return text === first
  if (!text.startsWith(first)) return false
  const last = rest.pop() ?? ''
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
