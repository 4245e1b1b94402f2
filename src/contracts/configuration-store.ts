import { kind } from '#schema'
import type { ClientTls } from './tls.ts'

/** The store of configuration that many gateways share. Nothing is connected until the control plane opens it. */
export interface SharedConfiguration {
  /** URLs of the servers of one cluster. */
  readonly endpoints: readonly string[]
  /** Of all keys, without a slash at its end. */
  readonly prefix: string
  readonly username: string | null
  /** The password; read on each call, so that a changed file takes effect. Null without one. */
  password(): string | null
  readonly tls: ClientTls | null
  /** Bytes of all files of one release. */
  readonly maxReleaseSize: number
  /** Number of releases that are not removed. */
  readonly keepReleases: number
}

export const ConfigurationStoreKind = kind<SharedConfiguration>('ConfigurationStore')
