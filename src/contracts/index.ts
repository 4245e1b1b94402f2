export { type AuditService, AuditServiceKind } from './audit-service.ts'
export { type Condition as RequestCondition, passes } from './condition.ts'
export { DecoratorKind } from './decorator.ts'
export { Executor } from './executor.ts'
export { FilterKind } from './filter.ts'
export { HandlerKind } from './handler.ts'
export type {
  ChangeProblems,
  ConnectorSettings,
  FromUnit,
  MetricSample,
  RouteChange,
  RouteFailure,
  RouteSource,
  ToUnit,
  UnitSettings,
} from './messages.ts'
export { type Purpose, Secret, type SecretParts } from './secret.ts'
export {
  providerOf,
  SecretError,
  type SecretQuery,
  type SecretStore,
  SecretStoreKind,
  type SecretsProvider,
  SecretsProviderKind,
} from './secrets.ts'
export { TemporaryStorageKind } from './temporary-storage.ts'
export {
  type ClientTls,
  ClientTlsKind,
  type KeyManager,
  KeyManagerKind,
  type ServerTls,
  ServerTlsKind,
  type TlsIdentity,
  type TlsLimits,
  type TrustManager,
  TrustManagerKind,
} from './tls.ts'
