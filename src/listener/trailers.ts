import { dashedName } from '#http'
import { FieldKinds, keep } from './header-field.ts'

// Routing, framing and authentication fields belong in the head (RFC 9110 section 6.5.1).
const headOnly = new Set([
  'authorization',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'location',
  'max-forwards',
  'range',
  'set-cookie',
  'www-authenticate',
])

const PLAIN = new FieldKinds()

/** The trailers that may be forwarded, as a flat list; null without any (threats B32). */
export function allowedTrailers(raw: readonly string[], kinds: FieldKinds = PLAIN): string[] | null {
  let allowed: string[] | null = null
  for (let i = 0; i < raw.length; i += 2) {
    const name = dashedName(raw[i]!)
    // Fields that the gateway manages in the head, such as X-Real-IP, are dropped here too.
    if (headOnly.has(name) || kinds.kindOf(raw[i]!) !== keep || name.startsWith('if-')) continue
    allowed ??= []
    allowed.push(raw[i]!, raw[i + 1]!)
  }
  return allowed
}
