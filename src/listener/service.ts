import type { Handler } from '#http'
import type { Logger } from '#logging'
import type { BodyWatch } from './body-watch.ts'
import type { ClientLog } from './client-log.ts'
import type { FieldKinds } from './header-field.ts'
import type { TrustedProxies } from './peer.ts'
import type { ListenerSettings } from './settings.ts'

/** What all requests of one listener share. */
export interface Service {
  readonly settings: ListenerSettings
  readonly logger: Logger
  readonly trusted: TrustedProxies
  readonly fields: FieldKinds
  readonly isReserved: (path: string) => boolean
  readonly clientLog: ClientLog
  readonly bodies: BodyWatch
  handler: Handler
  draining: boolean
  /** Requests that were handed to a transaction and have not ended. */
  active: number
}
