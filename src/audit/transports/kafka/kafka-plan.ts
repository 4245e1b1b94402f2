import type { TlsPlan } from '#contracts'

/** A Kafka cluster, as plain data. Times are milliseconds. */
export interface KafkaPlan {
  /** Bootstrap brokers. */
  readonly brokers: readonly { readonly host: string; readonly port: number }[]
  readonly clientId: string
  /** Topic of all records; null for one topic for each audit topic. */
  readonly kafkaTopic: string | null
  /** Precedes the name of the audit topic. */
  readonly topicPrefix: string
  readonly compression: 'none' | 'gzip'
  readonly idempotent: boolean
  /** Until a connection is established, TLS and SASL included. */
  readonly connectTimeout: number
  /** Timeout of one request to a broker. */
  readonly requestTimeout: number
  /** Until all brokers have acknowledged a batch, retries included. */
  readonly sendTimeout: number
  /** Bytes of records in one request; brokers accept 1 MiB by default. */
  readonly maxRequestBytes: number
  readonly sasl: KafkaCredentials | null
  readonly tls: TlsPlan | null
}

interface KafkaCredentials {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
  readonly username: string
  readonly password: string
}
