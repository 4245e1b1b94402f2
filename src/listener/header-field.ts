import { isHopByHop } from '#http'

/** What the listener does with a header field of a request. */
export const keep = 0
export const host = 1
export const contentLength = 2
export const transferEncoding = 3
export const connection = 4
export const drop = 5
export const userAgent = 6
export const forwardedFor = 7
export const forwardedProto = 8
export const forwardedHost = 9
export const forwardedPort = 10
export const forwarded = 11
export const forwardedOther = 12
export const forwardedAlias = 13
export const te = 14

const special: Readonly<Record<string, number>> = {
  Host: host,
  'Content-Length': contentLength,
  'Transfer-Encoding': transferEncoding,
  Connection: connection,
  TE: te,
  // The listener itself does what Expect asks for (RFC 9110 section 10.1.1).
  Expect: drop,
  'User-Agent': userAgent,
  'X-Forwarded-For': forwardedFor,
  'X-Forwarded-Proto': forwardedProto,
  'X-Forwarded-Host': forwardedHost,
  'X-Forwarded-Port': forwardedPort,
  Forwarded: forwarded,
  'X-Real-Ip': forwardedOther,
  'X-Original-Url': forwardedOther,
  'X-Original-Uri': forwardedOther,
  'X-Rewrite-Url': forwardedOther,
  'X-Original-Method': forwardedOther,
  'X-Http-Destinationurl': forwardedOther,
}

// Names most requests carry, so that they are told apart without making a lower-case copy of each.
const ordinary = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Cache-Control',
  'Content-Type',
  'Cookie',
  'If-Modified-Since',
  'If-None-Match',
  'Origin',
  'Pragma',
  'Priority',
  'Range',
  'Referer',
  'Sec-Fetch-Dest',
  'Sec-Fetch-Mode',
  'Sec-Fetch-Site',
  'Sec-Fetch-User',
  'Traceparent',
  'Upgrade-Insecure-Requests',
  'X-Requested-With',
]

const byLowerCase = new Map(Object.entries(special).map(([name, kind]) => [name.toLowerCase(), kind]))

const bySpelling = new Map<string, number>()
for (const [name, kind] of [...Object.entries(special), ...ordinary.map((name) => [name, keep] as const)]) {
  bySpelling.set(name, kind)
  bySpelling.set(name.toLowerCase(), kind)
}

/** What is to be done with a request header of this name. */
export function kindOf(name: string): number {
  return bySpelling.get(name) ?? lookUp(name)
}

function lookUp(name: string): number {
  const lower = name.toLowerCase()
  const kind = byLowerCase.get(lower)
  if (kind !== undefined) return kind
  if (isHopByHop(lower)) return drop
  if (lower.startsWith('x-forwarded-')) return forwardedOther
  return isForwardedAlias(lower) ? forwardedAlias : keep
}

// CGI and WSGI servers cannot tell `X_Forwarded_For` from `X-Forwarded-For` (threats B15).
function isForwardedAlias(lower: string): boolean {
  if (!lower.includes('_') && !lower.includes('.')) return false
  const dashed = lower.replace(/[_.]/g, '-')
  const kind = byLowerCase.get(dashed) ?? keep
  return dashed.startsWith('x-forwarded-') || (kind >= forwardedFor && kind <= forwardedOther)
}
