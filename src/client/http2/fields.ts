import type { Dispatcher } from 'undici'

/** Request fields of a stream: pseudo-header fields first, lower case, Host as `:authority` (RFC 9113 section 8.3.1). */
export function streamFields(origin: URL, options: Dispatcher.DispatchOptions, bodyLength: number | null): string[] {
  const { method, path } = options
  const given = options.headers as readonly string[]
  let authority = origin.host
  const ordinary: string[] = []
  for (let i = 0; i < given.length; i += 2) {
    const name = given[i]!.toLowerCase()
    if (name === 'host') authority = given[i + 1]!
    else ordinary.push(name, given[i + 1]!)
  }
  if (bodyLength !== null) ordinary.push('content-length', String(bodyLength))
  else if (options.body === null && HAVE_BODIES.has(method)) ordinary.push('content-length', '0')
  return [
    ':method',
    method,
    ':scheme',
    origin.protocol.slice(0, -1),
    ':authority',
    authority,
    ':path',
    path,
    ...ordinary,
  ]
}

// As in HTTP/1.1: these send Content-Length 0 without a body.
const HAVE_BODIES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Received fields without pseudo-header fields. */
export function withoutPseudoFields(raw: readonly string[]): string[] {
  const list: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    if (!raw[i]!.startsWith(':')) list.push(raw[i]!, raw[i + 1]!)
  }
  return list
}

/** Content-Length of a response; 0 without one. */
export function announcedLength(raw: readonly string[]): number {
  for (let i = 0; i < raw.length; i += 2) if (raw[i] === 'content-length') return Number(raw[i + 1]) || 0
  return 0
}

/** The fields with Content-Length 0. */
export function withEmptyContent(raw: readonly string[]): string[] {
  for (let i = 0; i < raw.length; i += 2) if (raw[i] === 'content-length') return [...raw]
  return [...raw, 'content-length', '0']
}
