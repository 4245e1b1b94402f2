/** Snippets made from tables: operators over types, methods over values. */
export function generatedTopics(): Map<string, readonly string[]> {
  return new Map()
}
