import type { Variables } from './variables.ts'

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~/-]{1,256}$/
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/
const MAX_PAIRS = 128

/**
 * Reads `name=value,name=value` with percent-encoded values, the form of headers and resource attributes. Invalid entries
 * are left out, with a warning that quotes nothing: values of headers are secrets.
 */
export function readPairs(variable: string, variables: Variables): readonly (readonly [string, string])[] {
  const text = variables.text(variable)
  if (text === null) return []
  const pairs: [string, string][] = []
  for (const [at, entry] of text.split(',').slice(0, MAX_PAIRS).entries()) {
    if (entry.trim() === '') continue
    const pair = readPair(entry)
    if (pair === null) variables.warn(`${variable}: entry ${at + 1} is not name=value and is ignored`)
    else pairs.push(pair)
  }
  return pairs
}

function readPair(entry: string): [string, string] | null {
  const at = entry.indexOf('=')
  if (at < 1) return null
  const [name, value] = [entry.slice(0, at).trim(), decoded(entry.slice(at + 1).trim())]
  return NAME.test(name) && value !== null && !UNSAFE.test(value) ? [name, value] : null
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
