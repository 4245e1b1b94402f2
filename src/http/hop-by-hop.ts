import { equalsIgnoreCase } from './ascii.ts'
import type { Headers } from './headers.ts'

// RFC 9110 section 7.6.1 and the fields older agents treat alike.
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'trailers',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]

// Fields a peer can not have removed by naming them in Connection (threats B16, B17).
const PROTECTED = new Set([
  'host',
  'authorization',
  'cookie',
  'set-cookie',
  'www-authenticate',
  'location',
  'cache-control',
  'strict-transport-security',
  'date',
  'forwarded',
  'via',
  'x-real-ip',
])
const PROTECTED_PREFIX = /^(?:content-|x-forwarded-)/

const USUAL_OPTIONS = /^[ \t]*(?:keep-alive|close|upgrade)?[ \t]*$/i

// By length: most names need no comparison.
const BY_LENGTH: string[][] = []
for (const name of HOP_BY_HOP) {
  BY_LENGTH[name.length] ??= []
  BY_LENGTH[name.length]!.push(name)
}

/** Whether a field is hop-by-hop even if Connection does not name it. */
export function isHopByHop(name: string): boolean {
  const candidates = BY_LENGTH[name.length]
  if (candidates === undefined) return false
  for (const candidate of candidates) if (equalsIgnoreCase(candidate, name)) return true
  return false
}

export function isConnectionField(name: string): boolean {
  return name.length === 10 && equalsIgnoreCase(name, 'connection')
}

/** Whether a value of Connection names fields, beyond the usual options. */
export function namesFields(connection: string): boolean {
  return connection !== 'keep-alive' && connection !== 'close' && !USUAL_OPTIONS.test(connection)
}

/** The fields that Connection names, in lower case and without protected ones; null without any. */
export function fieldsNamedInConnection(raw: readonly string[]): Set<string> | null {
  let named: Set<string> | null = null
  for (let i = 0; i < raw.length; i += 2) {
    if (!isConnectionField(raw[i]!) || !namesFields(raw[i + 1]!)) continue
    for (const part of raw[i + 1]!.split(',')) {
      const name = part.trim().toLowerCase()
      if (name === '' || isHopByHop(name) || PROTECTED.has(name) || PROTECTED_PREFIX.test(name)) continue
      named ??= new Set()
      named.add(name)
    }
  }
  return named
}

/** Removes hop-by-hop fields and those that Connection names, except protected ones. */
export function removeHopByHop(headers: Headers): void {
  const named = fieldsNamedInConnection(headers.raw())
  headers.deleteWhere((name) => isHopByHop(name) || named?.has(name.toLowerCase()) === true)
}
