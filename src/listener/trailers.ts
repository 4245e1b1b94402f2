import { dashedName } from '#http'
import { FieldKinds, keep } from './header-field.ts'

// Fields that tell where a message goes, where it ends or who sent it must stand in the head (RFC 9110 section 6.5.1).
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

/** The fields of a trailer section that may be passed on, as a flat list; null when there are none (threats B32). */
export function allowedTrailers(raw: readonly string[], kinds: FieldKinds = PLAIN): string[] | null {
  let allowed: string[] | null = null
  for (let i = 0; i < raw.length; i += 2) {
    const name = dashedName(raw[i]!)
    // What is not kept in a head as it came, such as X-Real-IP, has no place behind it either.
    if (headOnly.has(name) || kinds.kindOf(raw[i]!) !== keep || name.startsWith('if-')) continue
    allowed ??= []
    allowed.push(raw[i]!, raw[i + 1]!)
  }
  return allowed
}
