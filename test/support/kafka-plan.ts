import type { KafkaPlan } from '../../src/audit/transports/kafka/kafka-plan.ts'

/** A plan for a broker on the loopback interface. */
export function kafkaPlan(port: number, fields: Partial<KafkaPlan> = {}): KafkaPlan {
  return {
    brokers: [{ host: '127.0.0.1', port }],
    clientId: 'identity-gateway',
    kafkaTopic: null,
    topicPrefix: '',
    compression: 'none',
    idempotent: true,
    connectTimeout: 5_000,
    requestTimeout: 5_000,
    sendTimeout: 10_000,
    maxRequestBytes: 900_000,
    sasl: null,
    tls: null,
    ...fields,
  }
}
