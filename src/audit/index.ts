export { changedFields } from './changed-fields.ts'
export {
  CONFIG_TOPIC,
  type ConfigActor,
  type ConfigChange,
  type ConfigOperation,
  configRecord,
} from './config-event.ts'
export { Delivery, type DeliveryEnv } from './delivery/delivery.ts'
export type { DeliveryCounts } from './delivery/delivery-counts.ts'
export { type AuditRecord, RecordRefused, type Transport, type TransportEnv } from './delivery/transport.ts'
export { EventIds } from './event.ts'
export { EventPublisher } from './event-publisher.ts'
export { AccessAudit } from './events/access-audit.ts'
export { ACCESS_NAMES, COMPATIBLE_NAMES } from './events/access-event.ts'
export { AccessFields } from './events/access-fields.ts'
export { auditUser } from './events/audit-user.ts'
export { FORMAT_NAMES } from './formats/event-format.ts'
export { kafkaText } from './formats/kafka.ts'
export { otlpLogRecord } from './formats/otlp.ts'
export { SYSLOG_FACILITIES, SYSLOG_SEVERITIES, type SyslogSettings, syslogMessage } from './formats/syslog.ts'
export type { FilterPolicies } from './policies/filter-policies.ts'
export { ACCESS_CASE_INSENSITIVE } from './topics/access-topic.ts'
export { readTopicSchemas, TopicSchemaError } from './topics/topic-schemas.ts'
export { BUILT_IN_TOPICS, findTopic, type WrittenTopic } from './topics/topics.ts'
export { trailCollection } from './trail-collection.ts'
export { TrailFile } from './trail-file.ts'
export { TrailTransport } from './trail-transport.ts'
export type { JmsPlan } from './transports/jms/jms-transport.ts'
export type { KafkaPlan } from './transports/kafka/kafka-plan.ts'
export { openTransport } from './transports/open-transport.ts'
export type { OtlpPlan } from './transports/otlp/otlp-transport.ts'
export type { SyslogPlan } from './transports/syslog/syslog-plan.ts'
export { DEFAULT_TLS_PLAN, type TlsPlan, tlsPlanOf } from './transports/tls-plan.ts'
