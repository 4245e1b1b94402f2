/** A server of an upstream service. */
export interface UpstreamServerPlan {
  /** Scheme, host and port. */
  readonly url: string
  readonly weight: number
  readonly priority: number
}

/** How servers are checked. Times are milliseconds. */
export interface HealthCheckPlan {
  readonly type: 'http' | 'tcp' | 'grpc'
  readonly method: string
  readonly path: string
  /** `Host` of the check; null for that of the server. */
  readonly host: string | null
  /** Null for the port of the server. */
  readonly port: number | null
  /** Service of a gRPC check; empty for the server as a whole. */
  readonly service: string
  readonly interval: number
  readonly timeout: number
  readonly unhealthyThreshold: number
  readonly healthyThreshold: number
  /** Ranges, first and last included. */
  readonly expectedStatuses: readonly (readonly [from: number, to: number])[]
}

/** Servers that DNS names. */
export interface DiscoveryPlan {
  readonly scheme: 'http' | 'https'
  readonly name: string
  /** Null for records that have ports. */
  readonly port: number | null
  readonly records: 'A' | 'SRV'
  /** Milliseconds between lookups; null for the time that the answers say. */
  readonly refresh: number | null
  /** Whether link-local and loopback addresses, and ports of the gateway, are servers too. */
  readonly allowLocal: boolean
}

/** The servers of a service as plain data, for the control thread, which keeps their states. */
export interface UpstreamPlan {
  /** Qualified name of the service. */
  readonly service: string
  readonly servers: readonly UpstreamServerPlan[]
  readonly discovery: DiscoveryPlan | null
  readonly healthCheck: HealthCheckPlan | null
}

/** The servers of a service and their states, in memory that all units share. */
export interface OpenedUpstream {
  readonly memory: SharedArrayBuffer
  /** Number of this unit in the memory. */
  readonly unit: number
  /** Health checks of servers with TLS use this plan (TlsPlan of `contracts`). */
  checkWith(tls: object): void
  release(): void
}
