/** Words of a line as a POSIX shell or bash reads them, without expansions; null where a quote is not closed. */
export function shellWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string
    if (char === '\\') {
      const next = line[++at] ?? ''
      if (next !== '\n') word = (word ?? '') + next
    } else if (char === '$' && line[at + 1] === "'") {
      const closed = escaped(line, at + 2)
      if (closed === null) return null
      word = (word ?? '') + closed.text
      at = closed.end
    } else if (char === "'" || char === '"') {
      const closed = quoted(line, at + 1, char)
      if (closed === null) return null
      word = (word ?? '') + closed.text
      at = closed.end
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (word !== null) words.push(word)
  return words
}

interface Quoted {
  readonly text: string
  /** Where the closing quote is. */
  readonly end: number
}

function quoted(line: string, start: number, quote: string): Quoted | null {
  let text = ''
  for (let at = start; at < line.length; at++) {
    const char = line[at] as string
    if (char === quote) return { text, end: at }
    if (quote === '"' && char === '\\' && /["\\$`\n]/.test(line[at + 1] ?? '')) text += line[++at]
    else text += char
  }
  return null
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** The content of $'...', as browsers copy texts with a quote or a line end. */
function escaped(line: string, start: number): Quoted | null {
  let text = ''
  for (let at = start; at < line.length; at++) {
    const char = line[at] as string
    if (char === "'") return { text, end: at }
    if (char !== '\\') {
      text += char
      continue
    }
    const code = /^(?:u([0-9a-f]{1,4})|x([0-9a-f]{1,2}))/i.exec(line.slice(at + 1, at + 6))
    const next = line[at + 1] ?? ''
    text +=
      code === null ? (ESCAPES.get(next) ?? next) : String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? '', 16))
    at += code?.[0].length ?? 1
  }
  return null
}
