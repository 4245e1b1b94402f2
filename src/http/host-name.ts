import { isIPv4, isIPv6 } from 'node:net'
import { isPunycode } from './punycode.ts'

/** A host and port as a request names them, in normal form; the port is -1 when not written. */
export interface Authority {
  readonly host: string
  readonly port: number
}

const MAX_BYTES = 255
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/

/** Reads `host[:port]` as it may stand in Host, or says what is wrong with it (RFC 9110 section 7.2; threats B7, B34). */
export function parseAuthority(text: string): Authority | { problem: string } {
  if (text === '') return { problem: 'the host is empty' }
  if (text.length > MAX_BYTES) return { problem: `the host is longer than ${MAX_BYTES} bytes` }
  if (text.includes('@')) return { problem: 'the host holds user information' }
  const colon = text.startsWith('[') ? text.indexOf(':', text.indexOf(']') + 1) : text.indexOf(':')
  const port = colon < 0 ? -1 : parsePort(text.slice(colon + 1))
  if (port === null) return { problem: 'the host has a bad port' }
  const host = (colon < 0 ? text : text.slice(0, colon)).toLowerCase()
  return host.startsWith('[') ? addressLiteral(host, port) : registeredName(host, port)
}

function parsePort(text: string): number | null {
  if (!/^\d{1,5}$/.test(text)) return null
  const port = Number(text)
  return port >= 1 && port <= 65535 ? port : null
}

function addressLiteral(host: string, port: number): Authority | { problem: string } {
  const address = host.slice(1, -1)
  // isIPv6 also takes a zone (`fe80::1%eth0`), which means nothing to another machine.
  if (!host.endsWith(']') || address.includes('%') || !isIPv6(address)) return { problem: 'the host is not an address' }
  return { host, port }
}

function registeredName(written: string, port: number): Authority | { problem: string } {
  // A final dot only says that the name is complete; without it there is one spelling.
  const host = written.endsWith('.') ? written.slice(0, -1) : written
  let last = ''
  for (const label of host.split('.')) {
    if (label.length > 63 || !LABEL.test(label)) return { problem: 'the host is not a name' }
    if (label.startsWith('xn--') && !isPunycode(label.slice(4)))
      return { problem: 'the host is not an international name' }
    last = label
  }
  // What ends in a number is read as an address by others, often as another one: 127.1, 0x7f.1.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(last) && !isIPv4(host)) return { problem: 'the host is not an address' }
  return { host, port }
}
