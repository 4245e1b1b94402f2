import type { TlsPlan } from '#contracts'

/** A syslog receiver, as plain data. Times are milliseconds. */
export interface SyslogPlan {
  readonly protocol: 'UDP' | 'TCP' | 'TLS'
  readonly host: string
  readonly port: number
  /** Until the connection is established, TLS included. */
  readonly connectTimeout: number
  /** Longest time in which a receiver reads no bytes. */
  readonly sendTimeout: number
  /** TLS settings; null for the defaults. */
  readonly tls: TlsPlan | null
}
