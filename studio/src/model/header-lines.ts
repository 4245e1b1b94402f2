/** Lines `Name: value` as the lists that the API takes; an error for a line that is neither that nor empty. */
export function headerLists(text: string): Record<string, string[]> {
  const lists = new Map<string, string[]>()
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim()
    if (name === '') throw new Error(`Headers, line ${at + 1}: expected "Name: value", found "${line.trim()}".`)
    lists.set(name, [...(lists.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  return Object.fromEntries(lists)
}
