import type { RequestLine } from '#http'
import type { Peer } from './peer.ts'
import type { Refusal } from './refusal.ts'
import type { ListenerSettings } from './settings.ts'

/** A request that was refused before it became an exchange. */
interface RefusedByListener {
  readonly transactionId: string
  readonly peer: Peer
  readonly reason: Refusal
  /** As received; null where it could not be parsed. */
  readonly line: RequestLine | null
  /** Bytes of the content of the response; null where none was sent. */
  readonly bytes: number | null
}

/** Records a refused request in the audit and in the access log. */
export function recordRefusal(
  { audit, accessLog }: Pick<ListenerSettings, 'audit' | 'accessLog'>,
  { transactionId, peer, reason, line, bytes }: RefusedByListener,
): void {
  if (!audit && !accessLog) return
  const refused = {
    transactionId,
    secure: peer.scheme === 'https',
    tls: peer.tls,
    client: { ip: peer.address, port: peer.port },
    server: { ip: peer.localAddress, port: peer.localPort },
    status: reason.status,
    isSent: bytes !== null,
    bytes: bytes ?? 0,
    reason: reason.problem,
    line,
  }
  audit?.refused(refused)
  accessLog?.refused(refused)
}
