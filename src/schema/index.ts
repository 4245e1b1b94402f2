export type { AccessLogSettings } from './access-log-fields.ts'
export {
  type AuditOutlet,
  type AuditPlan,
  DISCARDING_OUTLET,
  type HandlerPlan,
  type QueuePlan,
  type RecordedEvent,
  type TransportPlan,
} from './audit-outlet.ts'
export {
  byShape,
  type DecodedMembers,
  IGNORED_KEYS,
  isIgnoredKey,
  list,
  listOrOne,
  type Members,
  map,
  object,
  UNKNOWN_MEMBER,
} from './composites.ts'
export { booleanCondition, type Condition, condition } from './condition.ts'
export { config } from './config-expression.ts'
export { CONNECTOR_LIMITS, type ConnectorLimits } from './connector-limits.ts'
export { currentMembers } from './current-members.ts'
export { type Decoding, decode, type Warning } from './decode.ts'
export { Deferred, type SettleContext, type Settled } from './deferred.ts'
export {
  type Decorator,
  defineDecorator,
  defineType,
  defineTypeOfAnyKind,
  type ObjectPlace,
  type Settings,
  type TypeDefinition,
  type Warn,
  type Wrap,
  wrap,
} from './define-type.ts'
export { documentPointer } from './document-places.ts'
export { DOCUMENT_STRUCTURE } from './document-structure.ts'
export type {
  Clock,
  Counter,
  Directories,
  Environment,
  Gauge,
  Metrics,
  ObjectState,
  OwnListeners,
  PermitMemory,
  PermitStore,
  Reading,
  RouteOrder,
  RouterHost,
  RouterSettings,
  Summary,
} from './environment.ts'
export { type Decoded, type Field, type FieldInfo, field, type JsonSchema } from './field.ts'
export { type FieldMigration, withoutField } from './field-migration.ts'
export { type FieldValue, fieldValuesIn } from './field-values.ts'
export { defaultSettings, type GatewaySettings, gatewaySettings, SETTING_FIELDS } from './gateway-settings.ts'
export { type DocumentSource, documentSchema, shallowDocumentSchema, typeSchema } from './json-schema.ts'
export { adapter, type Kind, kind } from './kind.ts'
export { reportUnknownNames, unboundNames } from './known-names.ts'
export { type CatalogueType, LazyType, loadTypes } from './lazy-type.ts'
export { type Assign, leftValue } from './left-value.ts'
export { configWarning } from './log-events.ts'
export type { ObjectEndpoint, ObjectOperation, ObjectRefusal, ObjectResource, ObjectResult } from './object-endpoint.ts'
export {
  type ClearText,
  clearKeyStore,
  clearText,
  clearTextOf,
  clearTextStore,
  converted,
  decorationsBeside,
  ignored,
  type OlderSpelling,
  renamed,
  renames,
  withMember,
} from './older-spelling.ts'
export { ConfigError, didYouMean, formatProblem, type Problem, shown } from './problem.ts'
export { nameOnly, Reference, ref, referencesIn, refToAny, type Typed, writtenReferencesIn } from './reference.ts'
export {
  atLeastOneOf,
  atMostOneOf,
  exactlyOneOf,
  needs,
  needsOneOf,
  type PresenceRule,
  requiredUnless,
  requiredWhere,
} from './rules.ts'
export { bindExpression, ResultTypeError, type Runtime, runtime } from './runtime-expression.ts'
export {
  boolean,
  duration,
  integer,
  isSecretId,
  isZeroDuration,
  json,
  listeningHost,
  number,
  oneOf,
  type Pattern,
  regex,
  SECRET_ID_FORM,
  secretId,
  string,
  token,
  url,
} from './scalars.ts'
export { type ModuleKey, type Purpose, Secret, type SecretParts } from './secret.ts'
export type { SecretQuery, SecretStore, SecretsProvider } from './secret-lookup.ts'
export { settle } from './settle.ts'
export {
  changedRecord,
  REVOCATION_SPACE,
  type RecordChange,
  type SharedRecord,
  type SharedStore,
  unavailableStore,
} from './shared-store.ts'
export { MAX_TIMER_DELAY, systemClock } from './system-clock.ts'
export { template } from './template.ts'
export type {
  DiscoveryPlan,
  HealthCheckPlan,
  OpenedUpstream,
  UpstreamPlan,
  UpstreamServerPlan,
} from './upstream-plan.ts'
export { writtenPath } from './written-path.ts'
