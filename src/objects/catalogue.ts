import { type CatalogueType, LazyType, type TypeDefinition } from '#schema'
import { BaseUriDecorator } from './decorators/base-uri/base-uri-decorator.ts'
import { CaptureDecorator } from './decorators/capture/capture-decorator.ts'
import { TimerDecorator } from './decorators/timer/timer-decorator.ts'
import { TracingDecorator } from './decorators/tracing/tracing-decorator.ts'
import { TransactionIdOutboundFilter } from './filters/transaction-id-outbound/transaction-id-outbound-filter.ts'
import { Base64PropertyFormat } from './formats/base64/base64-property-format.ts'
import { PlainPropertyFormat } from './formats/plain/plain-property-format.ts'
import { Chain } from './handlers/chain/chain.ts'
import { DispatchHandler } from './handlers/dispatch/dispatch-handler.ts'
import { ClientHandler } from './handlers/reverse-proxy/client-handler.ts'
import { ReverseProxyHandler } from './handlers/reverse-proxy/reverse-proxy-handler.ts'
import { Router } from './handlers/router/router.ts'
import { StaticResponseHandler } from './handlers/static-response/static-response-handler.ts'
import { WelcomeHandler } from './handlers/welcome/welcome-handler.ts'
import { NoProxyOptions } from './proxies/no-proxy-options/no-proxy-options.ts'
import { NoOpAuditService } from './services/no-op-audit/no-op-audit-service.ts'
import { ScheduledExecutorService } from './services/scheduled-executor/scheduled-executor-service.ts'
import { TemporaryStorage } from './services/temporary-storage/temporary-storage.ts'
import { InMemorySessionManager } from './sessions/in-memory/in-memory-session-manager.ts'

/** Types of the default objects and of the default config.json, which each unit uses. */
const LOADED: readonly TypeDefinition[] = [
  Base64PropertyFormat,
  BaseUriDecorator,
  CaptureDecorator,
  Chain,
  ClientHandler,
  DispatchHandler,
  InMemorySessionManager,
  NoOpAuditService,
  NoProxyOptions,
  PlainPropertyFormat,
  ReverseProxyHandler,
  Router,
  ScheduledExecutorService,
  StaticResponseHandler,
  TemporaryStorage,
  TimerDecorator,
  TracingDecorator,
  TransactionIdOutboundFilter,
  WelcomeHandler,
]

/** Modules of the other types, each with an export of its name; loaded when a configuration uses the type. */
const MODULES: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  AllowOnlyFilter: () => import('./filters/allow-only/allow-only-filter.ts'),
  AmSessionIdleTimeoutFilter: () => import('./filters/am-session-idle-timeout/am-session-idle-timeout-filter.ts'),
  AmService: () => import('./services/am/am-service.ts'),
  AssignmentFilter: () => import('./filters/assignment/assignment-filter.ts'),
  AuditFilter: () => import('./filters/audit/audit-filter.ts'),
  AuditService: () => import('./services/audit/audit-service.ts'),
  AuthenticatedEncryptedJwtSessionManager: () =>
    import('./sessions/jwt/authenticated-encrypted-jwt-session-manager.ts'),
  AuthorizationCodeOAuth2ClientFilter: () =>
    import('./filters/authorization-code-oauth2-client/authorization-code-oauth2-client-filter.ts'),
  Base64EncodedSecretStore: () => import('./stores/base64-encoded/base64-encoded-secret-store.ts'),
  CacheAccessTokenResolver: () => import('./resolvers/cache/cache-access-token-resolver.ts'),
  CaptureFilter: () => import('./decorators/capture/capture-filter.ts'),
  CapturedUserPasswordFilter: () => import('./filters/captured-user-password/captured-user-password-filter.ts'),
  CertificateThumbprintFilter: () => import('./filters/certificate-thumbprint/certificate-thumbprint-filter.ts'),
  ChainOfFilters: () => import('./filters/chain-of-filters/chain-of-filters.ts'),
  CircuitBreakerFilter: () => import('./filters/circuit-breaker/circuit-breaker-filter.ts'),
  ClientCredentialsOAuth2ClientFilter: () =>
    import('./filters/client-credentials-oauth2-client/client-credentials-oauth2-client-filter.ts'),
  ClientRegistration: () => import('./openid/client-registration/client-registration.ts'),
  ClientSecretBasicAuthenticationFilter: () =>
    import('./filters/client-secret-basic-authentication/client-secret-basic-authentication-filter.ts'),
  ClientSecretPostAuthenticationFilter: () =>
    import('./filters/client-secret-post-authentication/client-secret-post-authentication-filter.ts'),
  ClientTlsOptions: () => import('./tls/client-tls-options/client-tls-options.ts'),
  ConditionEnforcementFilter: () => import('./filters/condition-enforcement/condition-enforcement-filter.ts'),
  ConditionalFilter: () => import('./filters/conditional/conditional-filter.ts'),
  ConfirmationKeyVerifierAccessTokenResolver: () =>
    import('./resolvers/confirmation-key-verifier/confirmation-key-verifier-access-token-resolver.ts'),
  CookieFilter: () => import('./filters/cookie/cookie-filter.ts'),
  CorsFilter: () => import('./filters/cors/cors-filter.ts'),
  CrossDomainSingleSignOnFilter: () =>
    import('./filters/cross-domain-single-sign-on/cross-domain-single-sign-on-filter.ts'),
  CryptoHeaderFilter: () => import('./filters/crypto-header/crypto-header-filter.ts'),
  CsrfFilter: () => import('./filters/csrf/csrf-filter.ts'),
  CsvAuditEventHandler: () => import('./audit-handlers/csv/csv-audit-event-handler.ts'),
  CustomProxyOptions: () => import('./proxies/custom-proxy-options/custom-proxy-options.ts'),
  DateHeaderFilter: () => import('./filters/date-header/date-header-filter.ts'),
  DataPreservationFilter: () => import('./filters/data-preservation/data-preservation-filter.ts'),
  DefaultRateThrottlingPolicy: () => import('./throttling/default-rate/default-rate-throttling-policy.ts'),
  Delegate: () => import('./handlers/delegate/delegate.ts'),
  DpopAccessTokenResolver: () => import('./resolvers/dpop/dpop-access-token-resolver.ts'),
  DpopClientFilter: () => import('./filters/dpop-client/dpop-client-filter.ts'),
  EntityExtractFilter: () => import('./filters/entity-extract/entity-extract-filter.ts'),
  EtcdStore: () => import('./configuration/etcd-store/etcd-store.ts'),
  FapiInteractionIdFilter: () => import('./filters/fapi-interaction-id/fapi-interaction-id-filter.ts'),
  FileAttributesFilter: () => import('./filters/file-attributes/file-attributes-filter.ts'),
  EncryptedPrivateKeyJwtClientAuthenticationFilter: () =>
    import(
      './filters/encrypted-private-key-jwt-client-authentication/encrypted-private-key-jwt-client-authentication-filter.ts'
    ),
  FileSystemSecretStore: () => import('./stores/file-system/file-system-secret-store.ts'),
  ForwardedRequestFilter: () => import('./filters/forwarded-request/forwarded-request-filter.ts'),
  FragmentFilter: () => import('./filters/fragment/fragment-filter.ts'),
  GrantSwapJwtAssertionOAuth2ClientFilter: () =>
    import('./filters/grant-swap-jwt-assertion-oauth2-client/grant-swap-jwt-assertion-oauth2-client-filter.ts'),
  HeaderFilter: () => import('./filters/header/header-filter.ts'),
  HsmSecretStore: () => import('./stores/hsm/hsm-secret-store.ts'),
  HttpBasicAuthFilter: () => import('./filters/http-basic-auth/http-basic-auth-filter.ts'),
  HttpBasicAuthenticationClientFilter: () =>
    import('./filters/http-basic-authentication-client/http-basic-authentication-client-filter.ts'),
  IdTokenValidationFilter: () => import('./filters/id-token-validation/id-token-validation-filter.ts'),
  Issuer: () => import('./openid/issuer/issuer.ts'),
  IssuerAccessTokenResolver: () => import('./resolvers/issuer/issuer-access-token-resolver.ts'),
  JdbcDataSource: () => import('./services/jdbc-data-source/jdbc-data-source.ts'),
  JmsAuditEventHandler: () => import('./audit-handlers/jms/jms-audit-event-handler.ts'),
  JsonAuditEventHandler: () => import('./audit-handlers/json/json-audit-event-handler.ts'),
  JsonStdoutAuditEventHandler: () => import('./audit-handlers/json-stdout/json-stdout-audit-event-handler.ts'),
  JwkPropertyFormat: () => import('./formats/jwk/jwk-property-format.ts'),
  JwkSetHandler: () => import('./handlers/jwk-set/jwk-set-handler.ts'),
  JwkSetSecretStore: () => import('./stores/jwk-set/jwk-set-secret-store.ts'),
  JwtBuilderFilter: () => import('./filters/jwt-builder/jwt-builder-filter.ts'),
  JwtValidationFilter: () => import('./filters/jwt-validation/jwt-validation-filter.ts'),
  KafkaAuditEventHandler: () => import('./audit-handlers/kafka/kafka-audit-event-handler.ts'),
  KeyManager: () => import('./tls/key-manager/key-manager.ts'),
  KeyStore: () => import('./tls/key-store/key-store.ts'),
  KeyStoreSecretStore: () => import('./stores/key-store/key-store-secret-store.ts'),
  LocationHeaderFilter: () => import('./filters/location-header/location-header-filter.ts'),
  MappedThrottlingPolicy: () => import('./throttling/mapped/mapped-throttling-policy.ts'),
  MirrorFilter: () => import('./filters/mirror/mirror-filter.ts'),
  OAuth2ResourceServerFilter: () => import('./filters/oauth2-resource-server/oauth2-resource-server-filter.ts'),
  OAuth2TokenExchangeFilter: () => import('./filters/oauth2-token-exchange/oauth2-token-exchange-filter.ts'),
  OpenAmAccessTokenResolver: () => import('./resolvers/open-am/open-am-access-token-resolver.ts'),
  OtlpAuditEventHandler: () => import('./audit-handlers/otlp/otlp-audit-event-handler.ts'),
  PasswordReplayFilter: () => import('./filters/password-replay/password-replay-filter.ts'),
  PemPropertyFormat: () => import('./formats/pem/pem-property-format.ts'),
  PingAuthorizeFilter: () => import('./filters/ping-authorize/ping-authorize-filter.ts'),
  PolicyEnforcementFilter: () => import('./filters/policy-enforcement/policy-enforcement-filter.ts'),
  PrivateKeyJwtClientAuthenticationFilter: () =>
    import('./filters/private-key-jwt-client-authentication/private-key-jwt-client-authentication-filter.ts'),
  RedisSessionManager: () => import('./sessions/redis/redis-session-manager.ts'),
  RedisThrottlingStore: () => import('./throttling/redis-store/redis-throttling-store.ts'),
  RequestResourceUriProvider: () => import('./resource-uris/request/request-resource-uri-provider.ts'),
  ResourceHandler: () => import('./handlers/resource/resource-handler.ts'),
  ResourceOwnerOAuth2ClientFilter: () =>
    import('./filters/resource-owner-oauth2-client/resource-owner-oauth2-client-filter.ts'),
  ScriptableAccessTokenResolver: () => import('./resolvers/scriptable/scriptable-access-token-resolver.ts'),
  ScriptableFilter: () => import('./filters/scriptable/scriptable-filter.ts'),
  ScriptableHandler: () => import('./handlers/scriptable/scriptable-handler.ts'),
  ScriptableJwtValidatorCustomizer: () =>
    import('./customizers/scriptable-jwt-validator/scriptable-jwt-validator-customizer.ts'),
  ScriptableResourceAccess: () => import('./access/scriptable/scriptable-resource-access.ts'),
  ScriptableResourceUriProvider: () => import('./resource-uris/scriptable/scriptable-resource-uri-provider.ts'),
  ScriptableThrottlingPolicy: () => import('./throttling/scriptable/scriptable-throttling-policy.ts'),
  SecretKeyPropertyFormat: () => import('./formats/secret-key/secret-key-property-format.ts'),
  SecretsKeyManager: () => import('./tls/secrets-key-manager/secrets-key-manager.ts'),
  SecretsProvider: () => import('./stores/secrets-provider/secrets-provider.ts'),
  SecretsTrustManager: () => import('./tls/secrets-trust-manager/secrets-trust-manager.ts'),
  SequenceHandler: () => import('./handlers/sequence/sequence-handler.ts'),
  ServerTlsOptions: () => import('./tls/server-tls-options/server-tls-options.ts'),
  SessionInfoFilter: () => import('./filters/session-info/session-info-filter.ts'),
  SetCookieUpdateFilter: () => import('./filters/set-cookie-update/set-cookie-update-filter.ts'),
  SingleSignOnFilter: () => import('./filters/single-sign-on/single-sign-on-filter.ts'),
  SqlAttributesFilter: () => import('./filters/sql-attributes/sql-attributes-filter.ts'),
  StatelessAccessTokenResolver: () => import('./resolvers/stateless/stateless-access-token-resolver.ts'),
  StaticRequestFilter: () => import('./filters/static-request/static-request-filter.ts'),
  SwitchFilter: () => import('./filters/switch/switch-filter.ts'),
  SyslogAuditEventHandler: () => import('./audit-handlers/syslog/syslog-audit-event-handler.ts'),
  SystemAndEnvSecretStore: () => import('./stores/system-and-env/system-and-env-secret-store.ts'),
  SystemProxyOptions: () => import('./proxies/system-proxy-options/system-proxy-options.ts'),
  ThrottlingFilter: () => import('./filters/throttling/throttling-filter.ts'),
  TlsOptions: () => import('./tls/tls-options/tls-options.ts'),
  TokenIntrospectionAccessTokenResolver: () =>
    import('./resolvers/token-introspection/token-introspection-access-token-resolver.ts'),
  TokenTransformationFilter: () => import('./filters/token-transformation/token-transformation-filter.ts'),
  TrustAllManager: () => import('./tls/trust-all-manager/trust-all-manager.ts'),
  TrustManager: () => import('./tls/trust-manager/trust-manager.ts'),
  UpstreamService: () => import('./services/upstream/upstream-service.ts'),
  UriPathRewriteFilter: () => import('./filters/uri-path-rewrite/uri-path-rewrite-filter.ts'),
  UmaFilter: () => import('./filters/uma/uma-filter.ts'),
  UmaService: () => import('./services/uma/uma-service.ts'),
  UserProfileFilter: () => import('./filters/user-profile/user-profile-filter.ts'),
  UserProfileService: () => import('./services/user-profile/user-profile-service.ts'),
  WeightedHandler: () => import('./handlers/weighted/weighted-handler.ts'),
}

/** Aliases of types that are not loaded yet. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  AuthenticatedEncryptedJwtSessionManager: ['JwtSessionManager', 'JwtSession', 'JwtSessionFactory'],
  AuthorizationCodeOAuth2ClientFilter: ['OAuth2ClientFilter'],
  LocationHeaderFilter: ['RedirectFilter'],
  OAuth2ResourceServerFilter: ['OAuth2RSFilter'],
  PingAuthorizeFilter: ['PingOneApiAccessManagementFilter'],
  StatelessAccessTokenResolver: ['PingAmStatelessAccessTokenResolver'],
}

/** Every built-in object type, by name. A type is in the gateway when it stands here. */
export const CATALOGUE: readonly CatalogueType[] = [...LOADED, ...Object.entries(MODULES).map(lazyType)].toSorted(
  (a, b) => (a.name < b.name ? -1 : 1),
)

function lazyType([name, load]: [string, (typeof MODULES)[string]]): LazyType {
  return new LazyType(name, ALIASES[name] ?? [], async () => (await load())[name] as TypeDefinition)
}
