import { type Body, type ClientInfo, Exchange, Request, type Span, TransactionId, type Uri } from '#http'
import type { AdmittedRequest } from './admission.ts'
import { extendForwarded, type Origin, setForwarded } from './forwarded.ts'
import type { ListenerContext } from './listener-context.ts'
import type { Peer } from './peer.ts'
import type { Refusal } from './refusal.ts'
import { headersOf, type RequestHead } from './request-head.ts'

type OriginContext = Pick<ListenerContext, 'settings' | 'trusted' | 'fields'>

/** The exchange of an admitted request, for handlers. */
export function createExchange(
  admitted: AdmittedRequest,
  body: (length: number) => Body,
  peer: Peer,
  context: OriginContext,
  span: Span | null = null,
): Exchange | Refusal {
  const { method, version, uri, head } = admitted
  const { settings } = context
  // Filters and upstreams get the normalized host (threats B8).
  if (head.hostAt >= 0) head.raw[head.hostAt] = uri.authority
  const origin = describeOrigin(head, peer, uri, context)
  if ('problem' in origin) return origin
  const headers = headersOf(head)
  const sent = settings.trustTransactionHeader ? headers.get(settings.transactionIdHeader) : null
  const exchange = new Exchange({
    request: new Request({ method, uri, headers, body: body(head.bodyLength), version: `HTTP/${version}` }),
    client: clientInfo(peer, origin, head.userAgent),
    storage: settings.storage,
    ...(sent === null ? {} : { transactionId: transactionId(sent) }),
    ...(origin.uri === null ? {} : { originalUri: origin.uri }),
  })
  if (span !== null) exchange.span = span
  return exchange
}

function describeOrigin(
  head: RequestHead,
  peer: Peer,
  uri: Uri,
  { settings, trusted }: OriginContext,
): Origin | Refusal {
  const header = settings.trustedForwardingHeader ?? null
  if (peer.trust === 'trusted') return extendForwarded(head, peer, uri, trusted, header)
  setForwarded(head.raw, peer, uri)
  return { address: peer.address, uri: null }
}

function clientInfo(peer: Peer, origin: Origin, userAgent: string | null): ClientInfo {
  return {
    remoteAddress: origin.address,
    // The port of the client is unknown behind a proxy.
    remotePort: origin.address === peer.address ? peer.port : 0,
    remoteUser: null,
    localAddress: peer.localAddress,
    localPort: peer.localPort,
    certificates: peer.certificates,
    userAgent,
    secure: (origin.uri?.scheme ?? peer.scheme) === 'https',
    external: true,
  }
}

/** The id of a trusted peer if it is safe to log and send; otherwise a new one (threats B21). */
function transactionId(sent: string): TransactionId {
  const given = new TransactionId(sent)
  return given.value === sent ? given : new TransactionId()
}
