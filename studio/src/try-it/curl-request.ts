import type { SampleRequest } from '../api/try-it.ts'
import { shellWords } from './shell-words.ts'

/** Options with a value, by the name that they have here; those without a meaning here have none. */
const WITH_VALUE: ReadonlyMap<string, string> = new Map([
  ['-X', 'method'],
  ['--request', 'method'],
  ['-H', 'header'],
  ['--header', 'header'],
  ['-d', 'data'],
  ['--data', 'data'],
  ['--data-ascii', 'data'],
  ['--data-binary', 'data'],
  ['--data-raw', 'raw'],
  ['--json', 'json'],
  ['-u', 'user'],
  ['--user', 'user'],
  ['-b', 'cookie'],
  ['--cookie', 'cookie'],
  ['-A', 'agent'],
  ['--user-agent', 'agent'],
  ['-e', 'referer'],
  ['--referer', 'referer'],
  ['--url', 'url'],
  ...['-o', '-m', '-x', '-w', '-c', '-E', '--output', '--max-time', '--connect-timeout', '--retry', '--proxy'].map(
    (option): [string, string] => [option, ''],
  ),
  ...['--write-out', '--cookie-jar', '--cacert', '--cert', '--key', '--resolve'].map((option): [string, string] => [
    option,
    '',
  ]),
])

/** Options without a value and without a meaning here: letters of the short ones, names of the long ones. */
const FLAGS =
  /^-(?:[fgijkLnNOsSv46#]+|-(?:compressed|fail|globoff|http[\d.]+|include|insecure|location|no-buffer|show-error|silent|verbose))$/

const FORM = 'application/x-www-form-urlencoded'

/** Reads a `curl` line as browsers and guides write it; a text says why it can not be read. */
export function curlRequest(line: string): SampleRequest | string {
  const words = shellWords(line)
  if (words === null) return 'A quote is not closed.'
  if (words[0] !== 'curl') return 'Expected a line that starts with "curl".'
  let method: string | null = null
  let uri: string | null = null
  let type: string | null = null
  const headers: string[] = []
  const body: string[] = []
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string
    if (!word.startsWith('-') || word === '-') {
      uri = word
      continue
    }
    if (word === '-I' || word === '--head') {
      method ??= 'HEAD'
      continue
    }
    if (FLAGS.test(word)) continue
    // The value of a short option may follow at once: -XPOST.
    const option = word.startsWith('--') ? word : word.slice(0, 2)
    const kind = WITH_VALUE.get(option)
    if (kind === undefined) return `The option "${word}" is not known here; leave it out.`
    const value = option === word ? words[++at] : word.slice(2)
    if (value === undefined) return `The option "${word}" has no value.`
    if ((kind === 'data' || kind === 'json') && value.startsWith('@'))
      return `The file "${value.slice(1)}" can not be read here: give its content in place of "${value}".`
    if (kind === 'method') method = value
    if (kind === 'url') uri = value
    if (kind === 'header') headers.push(value)
    if (kind === 'user') headers.push(`Authorization: Basic ${inBase64(value)}`)
    if (kind === 'cookie') headers.push(`Cookie: ${value}`)
    if (kind === 'agent') headers.push(`User-Agent: ${value}`)
    if (kind === 'referer') headers.push(`Referer: ${value}`)
    if (kind === 'data' || kind === 'raw') type ??= FORM
    if (kind === 'json') type = 'application/json'
    if (kind === 'data' || kind === 'raw' || kind === 'json') body.push(value)
  }
  if (uri === null) return 'The line has no URL.'
  // As curl does.
  if (type !== null && !headers.some((header) => /^content-type\s*:/i.test(header))) {
    headers.push(`Content-Type: ${type}`)
  }
  const isSent = body.length > 0
  return { method: method ?? (isSent ? 'POST' : 'GET'), uri, headers: headers.join('\n'), body: body.join('&') }
}

/** Base64 of the UTF-8 of a text: `btoa` takes no other characters than those of Latin-1. */
function inBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
