const escapes: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
])

/** Parses a Java `.properties` text: comments, continued lines, `=`, `:` or a blank between key and value, escapes. */
export function parseProperties(source: string): Map<string, string> {
  const entries = new Map<string, string>()
  for (const line of logicalLines(source)) {
    const { key, rest } = splitKey(line)
    entries.set(withoutEscapes(key), withoutEscapes(rest))
  }
  return entries
}

function* logicalLines(source: string): Iterable<string> {
  let pending: string | null = null
  for (const raw of source.split(/\r\n|\r|\n/)) {
    const line = raw.replace(/^[ \t\f]+/, '')
    if (pending === null && (line === '' || line.startsWith('#') || line.startsWith('!'))) continue
    const joined: string = (pending ?? '') + line
    pending = endsOpen(joined) ? joined.slice(0, -1) : null
    if (pending === null) yield joined
  }
  if (pending !== null) yield pending
}

/** A line that ends in an odd number of backslashes is continued. */
function endsOpen(line: string): boolean {
  let count = 0
  while (line[line.length - 1 - count] === '\\') count += 1
  return count % 2 === 1
}

function splitKey(line: string): { readonly key: string; readonly rest: string } {
  let end = 0
  while (end < line.length && !'=: \t\f'.includes(line[end]!)) end += line[end] === '\\' ? 2 : 1
  return { key: line.slice(0, end), rest: line.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '') }
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9A-Fa-f]{4})|([\s\S]))/g, (_, code: string | undefined, character: string) =>
    code === undefined ? (escapes.get(character) ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
