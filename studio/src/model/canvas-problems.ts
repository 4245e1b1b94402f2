import type { Problem } from '../api/client.ts'

/** The message of the first problem of each object: the innermost one around it, or the entry for problems of the route itself. */
export function problemsByNode(
  problems: readonly Problem[],
  ids: readonly string[],
  entry: string,
): ReadonlyMap<string, string> {
  const known = new Set(ids)
  const messages = new Map<string, string>()
  for (const { pointer, message } of problems) {
    const id = innermost(pointer, known) ?? entry
    if (!messages.has(id)) messages.set(id, message)
  }
  return messages
}

/** The longest of the pointers that a pointer begins with; null without any. */
function innermost(pointer: string, known: ReadonlySet<string>): string | null {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    const around = pointer.slice(0, end)
    if (known.has(around)) return around
  }
  return null
}
