import type { SecureVersion } from 'node:tls'

/** A topic or queue by its name at the broker. */
export interface Destination {
  readonly kind: 'topic' | 'queue'
  readonly name: string
}

/** One broker of a connection. */
export interface Endpoint {
  readonly host: string
  readonly port: number
  /** Null for a connection without TLS. */
  readonly tls: EndpointTls | null
  /** Milliseconds for the connection and, separately, for each response of the handshake. */
  readonly connectTimeout: number
  /** Milliseconds without data from the broker; 0 for no limit. */
  readonly idleTimeout: number
  /** Virtual host (AMQP); null for the host. */
  readonly virtualHost: string | null
  /** SASL mechanisms that may be used (AMQP); null for all. */
  readonly saslMechanisms: readonly string[] | null
}

/** Options of TLS in a broker's address; null leaves the decision to `ProducerPlan.tls`. */
export interface EndpointTls {
  readonly verifyHostName: boolean | null
  readonly minVersion: SecureVersion | null
  readonly maxVersion: SecureVersion | null
  /** Suites in OpenSSL spelling joined by colons. */
  readonly ciphers: string | null
}

/** Limits where an address does not say otherwise, in milliseconds and bytes. */
export const DEFAULT_LIMITS = {
  connectTimeout: 10_000,
  sendTimeout: 30_000,
  idleTimeout: 30_000,
  producerWindow: 1024 * 1024,
} as const

/** When a failed connection is tried again, in milliseconds. */
export interface ReconnectPlan {
  readonly initialDelay: number
  readonly maxDelay: number
  readonly multiplier: number
}

/** Where and as which user to connect: plain data, read from JNDI properties. */
export interface ConnectionPlan {
  readonly protocol: 'openwire' | 'amqp'
  readonly destination: Destination
  /** At least one. */
  readonly endpoints: readonly Endpoint[]
  /** Whether the order of the endpoints is random; else the first that answers is used. */
  readonly randomize: boolean
  readonly reconnect: ReconnectPlan
  readonly userName: string | null
  readonly password: string | null
  /** Null for a generated one. */
  readonly clientId: string | null
  /** Milliseconds without any progress of the acknowledgements. */
  readonly sendTimeout: number
  /** Bytes of NON_PERSISTENT messages without acknowledgement (OpenWire); 0 for no limit but that of the socket. */
  readonly producerWindow: number
}

/** Keys, trust and checks of TLS, as plain data. */
export interface ProducerTls {
  /** Private keys and certificate chains, PEM, in the same order. */
  readonly key?: readonly string[]
  readonly cert?: readonly string[]
  /** Trusted certificates, PEM; without them those of the platform. */
  readonly ca?: readonly string[]
  readonly allowPartialTrustChain?: boolean
  /** If false, any certificate is trusted. */
  readonly rejectUnauthorized?: boolean
  /** Whether the certificate must name the host. */
  readonly checkServerIdentity?: boolean
  readonly minVersion?: SecureVersion
  readonly maxVersion?: SecureVersion
  /** OpenSSL names joined by colons; null for the defaults. */
  readonly ciphers?: string | null
}

/** A producer, as plain data. */
export interface ProducerPlan {
  readonly connection: ConnectionPlan
  /** PERSISTENT: each message is acknowledged by the broker, which keeps it; NON_PERSISTENT: the last of each call is. */
  readonly deliveryMode: 'PERSISTENT' | 'NON_PERSISTENT'
  /** Null for the defaults of the platform. */
  readonly tls: ProducerTls | null
}
