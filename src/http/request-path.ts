import { escapeByte, escapedByte, escapesAreUtf8, SUB_DELIMS, UNRESERVED } from './percent.ts'

/** The normalized part of a request target, or why it is refused. */
type Normalized = { text: string } | { problem: string }

const KEEP = 1
const DECODE = 2
const ENCODE = 3

// Treatment of path characters by code; 0 is refused.
const IN_PATH = table(`${SUB_DELIMS}:@/`)
const IN_QUERY = table(`${SUB_DELIMS}:@/?%[]\\`)
IN_QUERY[0x5c] = ENCODE
// Double-decoded, these would change the structure of the path or end it: `.`, `/`, `\`, `%`, control characters.
const TWICE_ENCODED = /%25(?:2[ef5]|5c|7f|[01][0-9a-f])/i
// A dot segment for servers that drop path parameters.
const DOTS_WITH_PARAMETERS = /^\.{1,2}(?:;|%3B|%253B)/i
// An empty segment for the same servers, which merge slashes then: `/;x/admin` is `/admin`.
const PARAMETERS_ALONE = /^(?:;|%3B|%253B)/i

// A segment of dots and spaces, plain or escaped: a dot segment for servers that trim names.
const BLANK =
  '%(?:25)*20|%C2%(?:85|A0)|%E1%(?:9A%80|A0%8E)|%E2%80%(?:8[0-D]|A[89F])|%E2%81%(?:9F|A0)|%E3%80%80|%EF%BB%BF'
const DOTS_AND_BLANKS = new RegExp(`^(?:${BLANK})*\\.(?:\\.|${BLANK})*$`)

function table(kept: string): Uint8Array {
  const actions = new Uint8Array(256)
  for (const each of '"<>^`{|}[]') actions[each.charCodeAt(0)] = ENCODE
  for (const each of kept) actions[each.charCodeAt(0)] = KEEP
  for (const each of UNRESERVED) actions[each.charCodeAt(0)] = DECODE
  return actions
}

/**
 * Normalizes an absolute path: resolves dot segments, merges slashes, decodes needless escapes, upper-cases the others.
 * Ambiguous paths are refused (threats B1, B5).
 */
export function normalizePath(path: string): Normalized {
  if (isPlain(path)) return { text: path }
  const spelled = spell(path)
  if ('problem' in spelled) return spelled
  return resolveSegments(spelled.text)
}

/** Escapes illegal printable characters of a query. */
export function normalizeQuery(query: string): Normalized {
  let text = ''
  let from = 0
  for (let i = 0; i < query.length; i++) {
    const action = IN_QUERY[query.charCodeAt(i)] ?? 0
    if (action === 0) return { problem: 'the query holds a character that must be escaped' }
    if (action !== ENCODE) continue
    text += query.slice(from, i) + escapeByte(query.charCodeAt(i))
    from = i + 1
  }
  return { text: from === 0 ? query : text + query.slice(from) }
}

/** Fast path: only plain characters, and no dot, slash or semicolon after a slash. */
function isPlain(path: string): boolean {
  let afterSlash = false
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i)
    const action = IN_PATH[code]
    if (action !== KEEP && action !== DECODE) return false
    if (afterSlash && (code === 0x2f || code === 0x2e || code === 0x3b)) return false
    afterSlash = code === 0x2f
  }
  return true
}

function spell(path: string): Normalized {
  let text = ''
  let escaped = false
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i)
    if (code === 0x25) {
      const byte = escapedByte(path, i)
      const problem = escapeProblem(byte)
      if (problem !== null) return { problem }
      text += IN_PATH[byte] === DECODE ? String.fromCharCode(byte) : escapeByte(byte)
      escaped ||= byte >= 0x80
      i += 2
      continue
    }
    const action = IN_PATH[code] ?? 0
    if (action === 0) return { problem: characterProblem(code) }
    text += action === ENCODE ? escapeByte(code) : path[i]
  }
  // Checked in the result, since the digits may be escaped themselves: %25%32%65.
  if (TWICE_ENCODED.test(text)) return { problem: 'the path is encoded twice' }
  // Lenient decoders accept overlong forms (%C0%AF for "/").
  if (escaped && !escapesAreUtf8(text)) return { problem: 'the path holds escapes that are not UTF-8' }
  return { text }
}

function escapeProblem(byte: number): string | null {
  if (byte < 0) return 'the path holds "%" without two hexadecimal digits'
  if (byte < 0x20 || byte === 0x7f) return 'the path holds an escaped control character'
  if (byte === 0x2f) return 'the path holds an escaped slash'
  if (byte === 0x5c) return 'the path holds an escaped backslash'
  return null
}

function characterProblem(code: number): string {
  if (code === 0x23) return 'the request target holds a fragment'
  if (code === 0x5c) return 'the path holds a backslash'
  return 'the path holds a character that must be escaped'
}

/** RFC 3986 section 5.2.4, without climbing above the root or dot segments with parameters. */
function resolveSegments(path: string): Normalized {
  const kept: string[] = []
  const segments = path.split('/')
  for (let i = 1; i < segments.length; i++) {
    const segment = segments[i]!
    const last = i === segments.length - 1
    if (segment === '' || segment === '.') {
      if (last) kept.push('')
      continue
    }
    if (segment === '..') {
      if (kept.pop() === undefined) return { problem: 'the path climbs above the root' }
      if (last) kept.push('')
      continue
    }
    if (DOTS_WITH_PARAMETERS.test(segment)) return { problem: 'the path holds a dot segment with parameters' }
    // At the end they are those of a directory, as in `/;jsessionid=1`.
    if (!last && PARAMETERS_ALONE.test(segment)) return { problem: 'the path holds an empty segment with parameters' }
    if (DOTS_AND_BLANKS.test(segment) && segment.includes('%')) {
      return { problem: 'the path holds a segment of dots and blanks' }
    }
    kept.push(segment)
  }
  return { text: `/${kept.join('/')}` }
}
