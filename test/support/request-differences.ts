import type { ReadRequest, ReadRequests } from './parsed-requests.ts'

/** What becomes of the request at one position of a stream. */
interface Outcome {
  /** The complete request as text; null without one. */
  readonly request: string | null
  /** Of a refusal; null where bytes are missing. */
  readonly status: number | null
  /** Of our parser. */
  readonly message: string
}

interface Compared {
  readonly text: string
  readonly ours: Outcome
  readonly theirs: Outcome
}

/** A known difference to the server of `node:http`; the reasons are in docs/http1-differences.md. */
interface Difference {
  readonly id: string
  readonly explains: (compared: Compared) => boolean
}

const rejectedBy =
  (message: RegExp) =>
  ({ ours }: Compared) =>
    ours.status !== null && message.test(ours.message)

/** In the order in which they are tried: those that depend on less of the input come first. */
export const REQUEST_DIFFERENCES: readonly Difference[] = [
  { id: 'request-protocol', explains: rejectedBy(/^request line: expected HTTP\/1\.1, got 0x/) },
  { id: 'request-spaces', explains: rejectedBy(/^request line: expected (?:a target|HTTP\/1\.1|a method), got 0x20/) },
  {
    id: 'request-leading-line',
    explains: rejectedBy(
      /^request: expected LF after CR|^request line: expected a method and a space, got 0x(?:0a|0d)/,
    ),
  },
  { id: 'request-target', explains: rejectedBy(/^request line: expected a target and a space, got /) },
  { id: 'request-bare-cr', explains: rejectedBy(/^request line: expected LF after CR/) },
  { id: 'request-extension', explains: rejectedBy(/expected the (?:name|value) of an extension/) },
  { id: 'request-chunk-digits', explains: rejectedBy(/^chunk size: expected at most \d+, got more/) },
  { id: 'request-limits', explains: ({ ours }) => ours.status === 431 },
  { id: 'request-tab', explains: rejectedBy(/no tab beside Transfer-Encoding/) },
  { id: 'request-unknown-method', explains: ({ ours, theirs }) => ours.status === 501 && theirs.status === 400 },
  { id: 'request-http-0.9', explains: ({ ours, theirs }) => ours.status === 505 || theirs.status === 505 },
  { id: 'request-connect', explains: ({ ours, theirs }) => ours.status === 405 && theirs.status === 400 },
  { id: 'request-source', explains: ({ text, theirs }) => theirs.status === 501 && /^[A-Z]+ /m.test(text) },
]

function outcomeAt({ requests, error }: ReadRequests, at: number): Outcome {
  const read = requests[at]
  const message = error?.message ?? ''
  if (read === undefined)
    return { request: null, status: at === requests.length ? (error?.status ?? null) : null, message }
  if (read.refused !== null) return { request: null, status: read.refused, message: '' }
  if (read.trailers !== null) return { request: textOf(read), status: null, message: '' }
  return { request: null, status: error?.status ?? null, message }
}

function textOf({ head, body, trailers }: ReadRequest): string {
  return JSON.stringify([head.method, head.target, head.version, head.fields, body, trailers])
}

/** Whether nothing after a request is compared: the connection ends with its response, or `node:http` stops at an upgrade. */
function isLast({ head: { version, fields } }: ReadRequest): boolean {
  let options = ''
  for (let i = 0; i < fields.length; i += 2) {
    if (/^(?:proxy-)?connection$/i.test(fields[i]!)) options += `${fields[i + 1]},`.toLowerCase()
  }
  return version !== '1.1' || /close|upgrade/.test(options)
}

/** The id of the first difference; null where both read the same requests, and undefined for one without a reason. */
export function requestDifference(bytes: Buffer, ours: ReadRequests, theirs: ReadRequests): string | null | undefined {
  for (let at = 0; ; at++) {
    const compared = { text: bytes.toString('latin1'), ours: outcomeAt(ours, at), theirs: outcomeAt(theirs, at) }
    const { request, status } = compared.ours
    if (request === null || request !== compared.theirs.request) {
      // Bytes that one of them rejects, and the other one only when more have arrived.
      const isPending = status === null || compared.theirs.status === null
      if (request === null && compared.theirs.request === null && (isPending || status === compared.theirs.status))
        return null
      return REQUEST_DIFFERENCES.find(({ explains }) => explains(compared))?.id
    }
    if (isLast(ours.requests[at]!)) return null
  }
}
