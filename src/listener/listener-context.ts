import type { Handler } from '#http'
import type { Logger } from '#logging'
import type { BodyTimeouts } from './body-timeouts.ts'
import type { ClientLog } from './client-log.ts'
import type { FieldKinds } from './header-field.ts'
import type { ListenerCounts } from './listener-counts.ts'
import type { TrustedProxies } from './peer.ts'
import type { ListenerSettings } from './settings.ts'

/** State shared by all requests of one listener. */
export interface ListenerContext {
  readonly settings: ListenerSettings
  readonly logger: Logger
  readonly trusted: TrustedProxies
  readonly fields: FieldKinds
  readonly isReserved: (path: string) => boolean
  readonly clientLog: ClientLog
  readonly counts: ListenerCounts
  readonly bodies: BodyTimeouts
  handler: Handler
  draining: boolean
  /** Whether upgraded connections go on in a drain. */
  keepsUpgraded: boolean
  /** Whether the gateway ends the connections that are left. */
  isAborting: boolean
  /** Requests in flight. */
  active: number
}
