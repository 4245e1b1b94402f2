export { AuditTrail, type LineSink, type TrailCounts, type TrailLimits } from './audit-trail.ts'
export { changedFields } from './changed-fields.ts'
export {
  CONFIG_TOPIC,
  type ConfigActor,
  type ConfigChange,
  type ConfigOperation,
  type ConfigOutcome,
  configEvent,
} from './config-event.ts'
export { type AuditEvent, EventIds, isTopicName, MAX_LINE_BYTES } from './event.ts'
export { trailCollection } from './trail-collection.ts'
export { TrailFile, type TrailLocation } from './trail-file.ts'
export { type ReadEvent, readTrail } from './trail-reader.ts'
