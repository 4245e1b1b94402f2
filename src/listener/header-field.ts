import { dashedName, isHopByHop } from '#http'

// Kinds of request header fields, by how the listener treats them.
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
export const te = 13
export const cookie = 14
/** On traffic connectors: without the cookies of the management connector. */
export const trafficCookie = 15
/** Where the gateway traces: replaced by those of its own spans. */
export const traceParent = 16
export const traceState = 17
export const expect = 18
export const upgrade = 19

const special: Readonly<Record<string, number>> = {
  Host: host,
  'Content-Length': contentLength,
  'Transfer-Encoding': transferEncoding,
  Connection: connection,
  TE: te,
  Cookie: cookie,
  // Handled by the listener itself (RFC 9110 sections 7.8 and 10.1.1).
  Expect: expect,
  Upgrade: upgrade,
  // CGI servers use it as their outbound proxy ("httpoxy").
  Proxy: drop,
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

// Frequent names, looked up without a lower-case copy.
const ordinary = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Cache-Control',
  'Content-Type',
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

const NOT_DASHED = /[^a-z0-9-]/

/** Kinds of request headers by name. */
export class FieldKinds {
  readonly #byLowerCase: ReadonlyMap<string, number>
  readonly #bySpelling = new Map<string, number>()

  /** `more`: kinds of further names that the gateway manages. */
  constructor(more: Readonly<Record<string, number>> = {}) {
    const rules = [...Object.entries(special), ...Object.entries(more)]
    this.#byLowerCase = new Map(rules.map(([name, kind]) => [name.toLowerCase(), kind]))
    for (const [name, kind] of [...ordinary.map((name) => [name, keep] as const), ...rules]) {
      this.#bySpelling.set(name, kind)
      this.#bySpelling.set(name.toLowerCase(), kind)
    }
  }

  kindOf(name: string): number {
    return this.#bySpelling.get(name) ?? this.#lookUp(name.toLowerCase())
  }

  #lookUp(lower: string): number {
    const kind = this.#byLowerCase.get(lower)
    if (kind !== undefined) return kind
    if (isHopByHop(lower)) return drop
    if (lower.startsWith('x-forwarded-')) return forwardedOther
    // An upstream could read it as a field that the gateway manages (threats B15).
    return NOT_DASHED.test(lower) && this.#isManaged(dashedName(lower)) ? drop : keep
  }

  #isManaged(name: string): boolean {
    const kind = this.#byLowerCase.get(name) ?? userAgent
    return kind !== userAgent || isHopByHop(name) || name.startsWith('x-forwarded-')
  }
}

/** The kinds of one listener: a transaction id of the client is dropped unless it is trusted (threats B21). */
export function fieldKinds({
  transactionIdHeader: name,
  trustTransactionHeader,
  isManagement = false,
  tracer = null,
}: {
  readonly transactionIdHeader: string
  readonly trustTransactionHeader: boolean
  readonly isManagement?: boolean
  readonly tracer?: object | null
}): FieldKinds {
  return new FieldKinds({
    [dashedName(name)]: drop,
    [name]: trustTransactionHeader ? keep : drop,
    Cookie: isManagement ? cookie : trafficCookie,
    ...(tracer !== null && { Traceparent: traceParent, Tracestate: traceState }),
  })
}
