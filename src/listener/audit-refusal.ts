import type { Peer } from './peer.ts'
import type { Refusal } from './refusal.ts'
import type { ListenerSettings } from './settings.ts'

/** Records a request that was refused before it became an exchange: nothing that it said of itself is trusted. */
export function auditRefusal(
  { audit }: Pick<ListenerSettings, 'audit'>,
  peer: Peer,
  { status, problem }: Refusal,
): void {
  audit?.refused({
    secure: peer.scheme === 'https',
    client: { ip: peer.address, port: peer.port },
    server: { ip: peer.localAddress, port: peer.localPort },
    status,
    reason: problem,
  })
}
