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

// A peer must not be able to have these removed by naming them in Connection (threats B16, B17).
const ESSENTIAL = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'authorization',
  'cookie',
  'set-cookie',
  'www-authenticate',
  'location',
  'cache-control',
  'date',
  'forwarded',
  'via',
  'x-real-ip',
])

// By length, so that most fields are passed over without being looked at.
const BY_LENGTH: string[][] = []
for (const name of HOP_BY_HOP) {
  BY_LENGTH[name.length] ??= []
  BY_LENGTH[name.length]!.push(name)
}

/** Whether a field concerns one connection only. */
export function isHopByHop(name: string): boolean {
  const candidates = BY_LENGTH[name.length]
  if (candidates === undefined) return false
  for (const candidate of candidates) if (equalsIgnoreCase(candidate, name)) return true
  return false
}

/** Removes the fields that concern one connection only, and those that Connection lists, essentials excepted. */
export function removeHopByHop(headers: Headers): void {
  const listed = listedInConnection(headers)
  headers.deleteWhere((name) => isHopByHop(name) || listed?.has(name.toLowerCase()) === true)
}

function listedInConnection(headers: Headers): Set<string> | null {
  let listed: Set<string> | null = null
  for (const value of headers.all('connection')) {
    if (value === 'keep-alive' || value === 'close') continue
    for (const part of value.split(',')) {
      const name = part.trim().toLowerCase()
      if (name === '' || isHopByHop(name) || ESSENTIAL.has(name) || name.startsWith('x-forwarded-')) continue
      listed ??= new Set()
      listed.add(name)
    }
  }
  return listed
}
