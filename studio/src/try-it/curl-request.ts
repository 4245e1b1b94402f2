import type { SampleRequest } from '../api/try-it.ts'

/** Options of curl with a value that has no meaning here. */
const IGNORED_WITH_VALUE = new Set([
  '-o',
  '--output',
  '-m',
  '--max-time',
  '--cacert',
  '--cert',
  '--key',
  '-x',
  '--proxy',
  '-w',
])

/** Reads a `curl` line as browsers and guides write it; a text says why it can not be read. */
export function curlRequest(line: string): SampleRequest | string {
  const words = shellWords(line)
  if (words === null) return 'A quote is not closed.'
  if (words[0] !== 'curl') return 'Expected a line that starts with "curl".'
  let method: string | null = null
  let uri: string | null = null
  const headers: string[] = []
  const body: string[] = []
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string
    const value = () => words[++at] ?? ''
    if (word === '-X' || word === '--request') method = value()
    else if (word === '-H' || word === '--header') headers.push(value())
    else if (/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/.test(word)) body.push(value())
    else if (word === '-u' || word === '--user') headers.push(`Authorization: Basic ${btoa(value())}`)
    else if (word === '-b' || word === '--cookie') headers.push(`Cookie: ${value()}`)
    else if (word === '-A' || word === '--user-agent') headers.push(`User-Agent: ${value()}`)
    else if (word === '-I' || word === '--head') method ??= 'HEAD'
    else if (word === '--url') uri = value()
    else if (IGNORED_WITH_VALUE.has(word)) value()
    else if (!word.startsWith('-')) uri = word
  }
  if (uri === null) return 'The line has no URL.'
  return {
    method: method ?? (body.length > 0 ? 'POST' : 'GET'),
    uri,
    headers: headers.join('\n'),
    body: body.join('&'),
  }
}

/** Words of a POSIX shell line; null where a quote is not closed. */
function shellWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string
    if (char === '\\') {
      const next = line[++at] ?? ''
      if (next !== '\n') word = (word ?? '') + next
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

function quoted(line: string, start: number, quote: string): { text: string; end: number } | null {
  let text = ''
  for (let at = start; at < line.length; at++) {
    const char = line[at] as string
    if (char === quote) return { text, end: at }
    if (quote === '"' && char === '\\' && /["\\$`\n]/.test(line[at + 1] ?? '')) text += line[++at]
    else text += char
  }
  return null
}
