import { isIPv4, isIPv6 } from 'node:net'
import { isPunycode } from './punycode.ts'

/** Host and port of a request, normalized; port -1 where omitted. */
export interface Authority {
  readonly host: string
  readonly port: number
}

/** A host for sockets: IPv6 addresses without the brackets that URIs put around them. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

const MAX_BYTES = 255
const MAX_LABEL = 63
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/
const DOT = 0x2e
const HYPHEN = 0x2d
const UNDERSCORE = 0x5f

/** Cache: most requests are for few hosts, and parsing is expensive. */
const known = new Map<string, Authority>()
const MAX_KNOWN = 256

/** Parses `host[:port]` of Host (RFC 9110 section 7.2; threats B7, B34). */
export function parseAuthority(text: string): Authority | { problem: string } {
  const before = known.get(text)
  if (before !== undefined) return before
  const parsed = readAuthority(text)
  if ('problem' in parsed) return parsed
  // Cleared at its limit: names of an attacker cost the others one more parse.
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, parsed)
  return parsed
}

function readAuthority(text: string): Authority | { problem: string } {
  if (text === '') return { problem: 'the host is empty' }
  if (text.length > MAX_BYTES) return { problem: `the host is longer than ${MAX_BYTES} bytes` }
  if (text.includes('@')) return { problem: 'the host holds user information' }
  const colon = text.startsWith('[') ? text.indexOf(':', text.indexOf(']') + 1) : text.indexOf(':')
  const port = colon < 0 ? -1 : parsePort(text.slice(colon + 1))
  if (port === null) return { problem: 'the host has a bad port' }
  const host = (colon < 0 ? text : text.slice(0, colon)).toLowerCase()
  return host.startsWith('[') ? addressLiteral(host, port) : registeredName(host, port)
}

/** A port from 1 to 65535; null for anything else. */
export function parsePort(text: string): number | null {
  if (!/^\d{1,5}$/.test(text)) return null
  const port = Number(text)
  return port >= 1 && port <= 65535 ? port : null
}

function addressLiteral(host: string, port: number): Authority | { problem: string } {
  const address = host.slice(1, -1)
  // isIPv6 accepts a zone (`fe80::1%eth0`), which is meaningless to another machine.
  if (!host.endsWith(']') || address.includes('%') || !isIPv6(address)) return { problem: 'the host is not an address' }
  return { host, port }
}

function registeredName(written: string, port: number): Authority | { problem: string } {
  // The final dot of a fully qualified name is removed: one spelling.
  const host = written.endsWith('.') ? written.slice(0, -1) : written
  let start = 0
  for (let end = 0; end <= host.length; end++) {
    if (end < host.length && host.charCodeAt(end) !== DOT) continue
    const problem = labelProblem(host, start, end)
    if (problem !== null) return { problem }
    if (end < host.length) start = end + 1
  }
  // Other parsers read a name that ends in a number as an IPv4 address: 127.1, 0x7f.1.
  if (isDigit(host.charCodeAt(start)) && NUMBER.test(host.slice(start)) && !isIPv4(host)) {
    return { problem: 'the host is not an address' }
  }
  return { host, port }
}

/** Checks the label between two positions (RFC 1123 section 2.1; underscores are accepted, as in many internal names). */
function labelProblem(host: string, start: number, end: number): string | null {
  const length = end - start
  if (length === 0 || length > MAX_LABEL) return 'the host is not a name'
  for (let i = start; i < end; i++) {
    const code = host.charCodeAt(i)
    const letter = (code >= 0x61 && code <= 0x7a) || isDigit(code) || code === UNDERSCORE
    if (!letter && (code !== HYPHEN || i === start || i === end - 1)) return 'the host is not a name'
  }
  if (host.startsWith('xn--', start) && !isPunycode(host.slice(start + 4, end))) {
    return 'the host is not an international name'
  }
  return null
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
