export {
  type ModuleKey,
  type Purpose,
  Secret,
  type SecretParts,
  type SecretQuery,
  type SecretStore,
  type SecretsProvider,
} from '#schema'
export {
  type AccessToken,
  type AccessTokenResolver,
  AccessTokenResolverKind,
  type TokenRejection,
  type TokenResolution,
  type ValidToken,
} from './access-token-resolver.ts'
export {
  AccessManagerError,
  type AmDialect,
  type AmService,
  AmServiceKind,
  type AmSession,
  type AmSessions,
  type Notification,
  type NotificationListener,
  type Notifications,
} from './am-service.ts'
export {
  type AuditEventHandler,
  AuditEventHandlerKind,
  type AuditTopic,
  type EventFormat,
  type JsonShape,
  type TransportRenewal,
} from './audit-event-handler.ts'
export { AUDIT_MEMORY } from './audit-memory.ts'
export { type AuditService, AuditServiceKind } from './audit-service.ts'
export { cipherSuite } from './cipher-suites.ts'
export { type Condition as RequestCondition, type ConditionSource, matches } from './condition.ts'
export { ConfigurationStoreKind, type SharedConfiguration } from './configuration-store.ts'
export { ADMIN_AUTHENTICATIONS, type AdminCaller, AdminCallerContext } from './contexts/admin-caller.ts'
export { AmSessionContext, AmSessionInfo } from './contexts/am-session.ts'
export { auditUser, requestUser } from './contexts/audit-user.ts'
export { CapturedPassword, CapturedPasswordContext } from './contexts/captured-password.ts'
export { type Cdsso, CdssoContext, type CdssoFailure, CdssoFailureContext } from './contexts/cdsso.ts'
export { type CertificateThumbprint, CertificateThumbprintContext } from './contexts/certificate-thumbprint.ts'
export { ClaimsSet } from './contexts/claims-set.ts'
export { type ClientIdField, ClientIdFieldContext } from './contexts/client-id-field.ts'
export { type FileAttributes, FileAttributesContext } from './contexts/file-attributes.ts'
export { type GatewayError, GatewayErrorContext } from './contexts/gateway-error.ts'
export { type InteractionId, InteractionIdContext } from './contexts/interaction-id.ts'
export { type JwtBuilder, JwtBuilderContext } from './contexts/jwt-builder.ts'
export {
  type JwtValidation,
  JwtValidationContext,
  type JwtValidationError,
  JwtValidationErrorContext,
} from './contexts/jwt-validation.ts'
export { type LoginAdvice, type LoginRedirect, LoginRedirectContext } from './contexts/login-redirect.ts'
export { type OAuth2, OAuth2Context } from './contexts/oauth2.ts'
export { type OAuth2Failure, OAuth2FailureContext } from './contexts/oauth2-failure.ts'
export { type OAuth2Info, OAuth2InfoContext } from './contexts/oauth2-info.ts'
export { type OAuth2TokenExchange, OAuth2TokenExchangeContext } from './contexts/oauth2-token-exchange.ts'
export { type PolicyDecision, PolicyDecisionContext } from './contexts/policy-decision.ts'
export { type SqlAttributes, SqlAttributesContext } from './contexts/sql-attributes.ts'
export { type SsoToken, SsoTokenContext } from './contexts/sso-token.ts'
export { type Sts, StsContext } from './contexts/sts.ts'
export { UserProfile, UserProfileContext } from './contexts/user-profile.ts'
export { CONTROL_CALLS, type OpenedAudit } from './control-calls.ts'
export {
  type DataSource,
  DataSourceKind,
  SqlError,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from './data-source.ts'
export { DecoratorKind } from './decorator.ts'
export { DescriptorReserve } from './descriptor-reserve.ts'
export { Executor } from './executor.ts'
export { faultOrigin } from './fault-origin.ts'
export { FilterKind } from './filter.ts'
export { HandlerKind } from './handler.ts'
export type { HealthCheck } from './health-check.ts'
export { type JwtValidatorCustomizer, JwtValidatorCustomizerKind } from './jwt-validator-customizer.ts'
export { descriptorName, type ListeningSocket, listeningSocket } from './listening-socket.ts'
export type { RequestEvent, RequestWatch, WatchedRequests } from './live-requests.ts'
export { EVENTS as CONDITION_EVENTS } from './log-events.ts'
export { isContentPreserved, isLoginRedirect, markContentPreserved, markLoginRedirect } from './login-redirects.ts'
export { maskHeaders } from './masked-headers.ts'
export type {
  ChangeProblems,
  CompletionMessage,
  CompletionResult,
  ConditionResult,
  ConnectorSettings,
  DrainMessage,
  EvaluationMessage,
  EvaluationResult,
  ObjectStatus,
  RouteChange,
  RouteFailure,
  RouteMatch,
  RouterOpening,
  RouteSource,
  RouteWarnings,
  SamplerPlan,
  ServedFolders,
  SimulatedRequestMessage,
  TelemetrySettings,
  UnitSettings,
  UnitStart,
} from './messages.ts'
export { LOG_TOPIC, SPAN_TOPIC } from './messages.ts'
export type {
  Exemplar,
  HistogramBuckets,
  MetricReport,
  MetricSample,
  Rates,
  RecentObservations,
  SampledSeries,
  SeriesHead,
} from './metric-report.ts'
export { type ClientRegistration, ClientRegistrationKind, type Issuer, IssuerKind } from './open-id.ts'
export { PermitTable } from './permit-table.ts'
export { base64Bytes, plainPassword } from './plain-content.ts'
export { isProofSent, markProofSent } from './proof-of-possession.ts'
export { protocolProblem, versionRange } from './protocol-versions.ts'
export { type ForwardProxy, type ProxyOptions, ProxyOptionsKind } from './proxy-options.ts'
export {
  activeTraces,
  type FinishedTrace,
  RequestTrace,
  TRACE_HEADER,
  type TraceStep,
  traceOf,
} from './request-trace.ts'
export { type ResourceAccess, ResourceAccessKind } from './resource-access.ts'
export { type ResourceUriProvider, ResourceUriProviderKind } from './resource-uri-provider.ts'
export { type DecodedSecret, type SecretFormat, SecretFormatKind } from './secret-format.ts'
export { problemIn, providerOf, SecretError, SecretStoreKind, SecretsProviderKind, warningsOfOrder } from './secrets.ts'
export { secretsProvider } from './secrets-provider-field.ts'
export { identityProblem } from './server-identity.ts'
export { withSession } from './session-boundary.ts'
export {
  type OpenSession,
  type SessionManager,
  SessionManagerKind,
  SessionTooLargeError,
  SessionUnavailableError,
} from './session-manager.ts'
export { TemporaryStorageKind } from './temporary-storage.ts'
export {
  type ThrottlingDecision,
  type ThrottlingPolicy,
  ThrottlingPolicyKind,
  type ThrottlingRate,
  type ThrottlingStore,
  ThrottlingStoreKind,
} from './throttling.ts'
export { TICKET_PERIOD, TicketSecrets } from './ticket-secrets.ts'
export {
  type Authorities,
  type BidirectionalTls,
  type ClientTls,
  ClientTlsKind,
  type KeyManager,
  KeyManagerKind,
  type KeyStore,
  type KeyStoreItem,
  KeyStoreKind,
  type ServerTls,
  ServerTlsKind,
  type TlsIdentity,
  type TlsLimits,
  TlsOptionsKind,
  type TrustManager,
  TrustManagerKind,
} from './tls.ts'
export { acceptAnyIdentity, checkIdentity, tlsConnectionOptions } from './tls-connection.ts'
export { authorityOptions, identityOptions } from './tls-material.ts'
export { DEFAULT_TLS_PLAN, type TlsPlan, tlsPlanOf } from './tls-plan.ts'
export { type UmaEndpoints, type UmaService, UmaServiceKind, type UmaShare } from './uma-service.ts'
export { ROUTE_BUILD_LIMIT, UNIT_CALLS } from './unit-calls.ts'
export {
  type Send,
  type ServerCircuits,
  TriedServers,
  type Upstream,
  UpstreamContext,
  UpstreamKind,
  type UpstreamUse,
} from './upstream.ts'
export { type UserProfileService, UserProfileServiceKind } from './user-profile-service.ts'
