import { dashedName, isHopByHop } from '#http'

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
export const te = 13
export const cookie = 14

const special: Readonly<Record<string, number>> = {
  Host: host,
  'Content-Length': contentLength,
  'Transfer-Encoding': transferEncoding,
  Connection: connection,
  TE: te,
  Cookie: cookie,
  // The listener itself does what Expect asks for (RFC 9110 section 10.1.1).
  Expect: drop,
  // Servers that make variables of names take it for the proxy of their own requests ("httpoxy").
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

// Names most requests carry, so that they are told apart without making a lower-case copy of each.
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

/** Tells what is to be done with request headers, by their name. */
export class FieldKinds {
  readonly #byLowerCase: ReadonlyMap<string, number>
  readonly #bySpelling = new Map<string, number>()

  /** `more` are further names that the gateway manages, and what is done with them. */
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
    // What an upstream could take for a field that the gateway manages (threats B15).
    return NOT_DASHED.test(lower) && this.#isManaged(dashedName(lower)) ? drop : keep
  }

  #isManaged(name: string): boolean {
    const kind = this.#byLowerCase.get(name) ?? userAgent
    return kind !== userAgent || isHopByHop(name) || name.startsWith('x-forwarded-')
  }
}

/** The rules of one listener: ids of transactions come from clients only where they are trusted for that (threats B21). */
export function fieldKinds({
  transactionIdHeader: name,
  trustTransactionHeader,
}: {
  readonly transactionIdHeader: string
  readonly trustTransactionHeader: boolean
}): FieldKinds {
  return new FieldKinds({ [dashedName(name)]: drop, [name]: trustTransactionHeader ? keep : drop })
}
