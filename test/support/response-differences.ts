import type { ParsedResponse } from '#test/parsed-response'
import type { PeerResponse } from '#test/response-peers'

interface Compared {
  readonly text: string
  readonly ours: ParsedResponse
  readonly theirs: PeerResponse
}

/** A known difference to `node:http` and undici; the reasons are in docs/http1-differences.md. */
interface Difference {
  readonly id: string
  readonly explains: (compared: Compared) => boolean
}

const rejectedBy = (message: RegExp) => (compared: Compared) => message.test(compared.ours.error?.message ?? '')
const isFraming = (name: string) =>
  /^(?:content-length|transfer-encoding|connection|proxy-connection|upgrade)$/i.test(name)
const hasFraming = (fields: readonly string[]) => fields.some((name, at) => at % 2 === 0 && isFraming(name))
const isAccepted = (ours: ParsedResponse) => ours.error === null

/** In the order in which they are tried: those that depend on less of the input come first. */
export const RESPONSE_DIFFERENCES: readonly Difference[] = [
  { id: 'leading-line', explains: rejectedBy(/^status line: expected HTTP\/1\.0 or HTTP\/1\.1, got 0x0[ad] /) },
  { id: 'other-protocol', explains: rejectedBy(/^status line: expected HTTP\/1\.0 or HTTP\/1\.1, got /) },
  { id: 'low-status', explains: rejectedBy(/^status line: expected a status from 100 to 999, got 0x30 /) },
  { id: 'reason-control', explains: rejectedBy(/^status line: expected a reason phrase and CR LF, got 0x(?!0a)/) },
  { id: 'bare-cr', explains: rejectedBy(/^status line: expected LF after CR, got 0x/) },
  { id: 'other-coding', explains: rejectedBy(/expected chunked as the only Transfer-Encoding/) },
  { id: 'coding-in-http-1.0', explains: rejectedBy(/expected no Transfer-Encoding in HTTP\/1\.0/) },
  { id: 'extension', explains: rejectedBy(/expected the (?:name|value) of an extension/) },
  { id: 'tab-after-coding', explains: ({ text }) => /transfer-encoding:[^\r\n]*\t\r\n/i.test(text) },
  { id: 'excess', explains: ({ ours, theirs }) => isAccepted(ours) && ours.excess > 0 && theirs.error !== null },
  { id: 'switching', explains: ({ ours }) => isAccepted(ours) && ours.head!.status === 101 },
  {
    id: 'continue',
    explains: ({ ours, theirs }) =>
      isAccepted(ours) && theirs.error !== null && ours.interims.some(([status]) => status === 100),
  },
  {
    id: 'informational-framing',
    explains: ({ ours, theirs }) =>
      isAccepted(ours) && theirs.error !== null && ours.interims.some(([, , fields]) => hasFraming(fields)),
  },
  {
    id: 'trailer-framing',
    explains: ({ ours, theirs }) => isAccepted(ours) && theirs.error !== null && hasFraming(ours.trailers ?? []),
  },
  {
    id: 'space-after-length',
    explains: ({ ours, theirs, text }) =>
      isAccepted(ours) &&
      theirs.error === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' &&
      /content-length:[^\r\n]*[\t ]\r\n/i.test(text),
  },
  {
    id: 'space-after-value',
    explains: ({ ours, theirs }) =>
      isAccepted(ours) &&
      theirs.error === null &&
      isSame(ours, { ...theirs, fields: trimmed(theirs.fields), trailers: trimmed(theirs.trailers) }),
  },
  {
    id: 'reason-utf-8',
    explains: ({ ours, theirs }) =>
      isAccepted(ours) &&
      /[\x80-\xff]/.test(ours.head!.reason) &&
      isSame(ours, {
        ...theirs,
        reason: ours.head!.reason,
        fields: trimmed(theirs.fields),
        trailers: trimmed(theirs.trailers),
      }),
  },
]

const trimmed = (list: readonly string[]) => list.map((each) => each.replace(/[\t ]+$/, ''))

function isSame(ours: ParsedResponse, theirs: PeerResponse): boolean {
  const { status, reason, fields } = ours.head!
  return (
    status === theirs.status &&
    reason === theirs.reason &&
    ours.body === theirs.body &&
    fields.join('\n') === theirs.fields.join('\n') &&
    (ours.trailers ?? []).join('\n') === theirs.trailers.join('\n')
  )
}

/** The id of the difference; null where both reject the bytes, or parse the same message; undefined without a reason. */
export function differenceOf(bytes: Buffer, ours: ParsedResponse, theirs: PeerResponse): string | null | undefined {
  const isAcceptedByPeer = theirs.error === null && (theirs.isComplete || theirs.isUpgrade)
  if (!isAccepted(ours) && !isAcceptedByPeer) return null
  if (isAccepted(ours) && isAcceptedByPeer && (theirs.isUpgrade ? ours.head!.upgrade : isSame(ours, theirs)))
    return null
  const compared = { text: bytes.toString('latin1'), ours, theirs }
  return RESPONSE_DIFFERENCES.find(({ explains }) => explains(compared))?.id
}
