import type { TypeDefinition } from '#schema'
import { ScriptableResourceAccess } from './access/scriptable/scriptable-resource-access.ts'
import { CsvAuditEventHandler } from './audit-handlers/csv/csv-audit-event-handler.ts'
import { JmsAuditEventHandler } from './audit-handlers/jms/jms-audit-event-handler.ts'
import { JsonAuditEventHandler } from './audit-handlers/json/json-audit-event-handler.ts'
import { JsonStdoutAuditEventHandler } from './audit-handlers/json-stdout/json-stdout-audit-event-handler.ts'
import { KafkaAuditEventHandler } from './audit-handlers/kafka/kafka-audit-event-handler.ts'
import { OtlpAuditEventHandler } from './audit-handlers/otlp/otlp-audit-event-handler.ts'
import { SyslogAuditEventHandler } from './audit-handlers/syslog/syslog-audit-event-handler.ts'
import { ScriptableJwtValidatorCustomizer } from './customizers/scriptable-jwt-validator/scriptable-jwt-validator-customizer.ts'
import { BaseUriDecorator } from './decorators/base-uri/base-uri-decorator.ts'
import { CaptureDecorator } from './decorators/capture/capture-decorator.ts'
import { TimerDecorator } from './decorators/timer/timer-decorator.ts'
import { AllowOnlyFilter } from './filters/allow-only/allow-only-filter.ts'
import { AssignmentFilter } from './filters/assignment/assignment-filter.ts'
import { AuditFilter } from './filters/audit/audit-filter.ts'
import { AuthorizationCodeOAuth2ClientFilter } from './filters/authorization-code-oauth2-client/authorization-code-oauth2-client-filter.ts'
import { CertificateThumbprintFilter } from './filters/certificate-thumbprint/certificate-thumbprint-filter.ts'
import { ChainOfFilters } from './filters/chain-of-filters/chain-of-filters.ts'
import { CircuitBreakerFilter } from './filters/circuit-breaker/circuit-breaker-filter.ts'
import { ClientCredentialsOAuth2ClientFilter } from './filters/client-credentials-oauth2-client/client-credentials-oauth2-client-filter.ts'
import { ClientSecretBasicAuthenticationFilter } from './filters/client-secret-basic-authentication/client-secret-basic-authentication-filter.ts'
import { ClientSecretPostAuthenticationFilter } from './filters/client-secret-post-authentication/client-secret-post-authentication-filter.ts'
import { ConditionEnforcementFilter } from './filters/condition-enforcement/condition-enforcement-filter.ts'
import { ConditionalFilter } from './filters/conditional/conditional-filter.ts'
import { CookieFilter } from './filters/cookie/cookie-filter.ts'
import { CorsFilter } from './filters/cors/cors-filter.ts'
import { CrossDomainSingleSignOnFilter } from './filters/cross-domain-single-sign-on/cross-domain-single-sign-on-filter.ts'
import { CsrfFilter } from './filters/csrf/csrf-filter.ts'
import { DpopClientFilter } from './filters/dpop-client/dpop-client-filter.ts'
import { ForwardedRequestFilter } from './filters/forwarded-request/forwarded-request-filter.ts'
import { HeaderFilter } from './filters/header/header-filter.ts'
import { HttpBasicAuthenticationClientFilter } from './filters/http-basic-authentication-client/http-basic-authentication-client-filter.ts'
import { IdTokenValidationFilter } from './filters/id-token-validation/id-token-validation-filter.ts'
import { JwtBuilderFilter } from './filters/jwt-builder/jwt-builder-filter.ts'
import { JwtValidationFilter } from './filters/jwt-validation/jwt-validation-filter.ts'
import { LocationHeaderFilter } from './filters/location-header/location-header-filter.ts'
import { OAuth2ResourceServerFilter } from './filters/oauth2-resource-server/oauth2-resource-server-filter.ts'
import { OAuth2TokenExchangeFilter } from './filters/oauth2-token-exchange/oauth2-token-exchange-filter.ts'
import { PolicyEnforcementFilter } from './filters/policy-enforcement/policy-enforcement-filter.ts'
import { PrivateKeyJwtClientAuthenticationFilter } from './filters/private-key-jwt-client-authentication/private-key-jwt-client-authentication-filter.ts'
import { ResourceOwnerOAuth2ClientFilter } from './filters/resource-owner-oauth2-client/resource-owner-oauth2-client-filter.ts'
import { ScriptableFilter } from './filters/scriptable/scriptable-filter.ts'
import { SingleSignOnFilter } from './filters/single-sign-on/single-sign-on-filter.ts'
import { StaticRequestFilter } from './filters/static-request/static-request-filter.ts'
import { SwitchFilter } from './filters/switch/switch-filter.ts'
import { ThrottlingFilter } from './filters/throttling/throttling-filter.ts'
import { TransactionIdOutboundFilter } from './filters/transaction-id-outbound/transaction-id-outbound-filter.ts'
import { UriPathRewriteFilter } from './filters/uri-path-rewrite/uri-path-rewrite-filter.ts'
import { Base64PropertyFormat } from './formats/base64/base64-property-format.ts'
import { JwkPropertyFormat } from './formats/jwk/jwk-property-format.ts'
import { PemPropertyFormat } from './formats/pem/pem-property-format.ts'
import { PlainPropertyFormat } from './formats/plain/plain-property-format.ts'
import { SecretKeyPropertyFormat } from './formats/secret-key/secret-key-property-format.ts'
import { Chain } from './handlers/chain/chain.ts'
import { Delegate } from './handlers/delegate/delegate.ts'
import { DispatchHandler } from './handlers/dispatch/dispatch-handler.ts'
import { JwkSetHandler } from './handlers/jwk-set/jwk-set-handler.ts'
import { ResourceHandler } from './handlers/resource/resource-handler.ts'
import { ClientHandler } from './handlers/reverse-proxy/client-handler.ts'
import { ReverseProxyHandler } from './handlers/reverse-proxy/reverse-proxy-handler.ts'
import { Router } from './handlers/router/router.ts'
import { ScriptableHandler } from './handlers/scriptable/scriptable-handler.ts'
import { SequenceHandler } from './handlers/sequence/sequence-handler.ts'
import { StaticResponseHandler } from './handlers/static-response/static-response-handler.ts'
import { WelcomeHandler } from './handlers/welcome/welcome-handler.ts'
import { ClientRegistration } from './openid/client-registration/client-registration.ts'
import { Issuer } from './openid/issuer/issuer.ts'
import { CustomProxyOptions } from './proxies/custom-proxy-options/custom-proxy-options.ts'
import { NoProxyOptions } from './proxies/no-proxy-options/no-proxy-options.ts'
import { SystemProxyOptions } from './proxies/system-proxy-options/system-proxy-options.ts'
import { CacheAccessTokenResolver } from './resolvers/cache/cache-access-token-resolver.ts'
import { ConfirmationKeyVerifierAccessTokenResolver } from './resolvers/confirmation-key-verifier/confirmation-key-verifier-access-token-resolver.ts'
import { DpopAccessTokenResolver } from './resolvers/dpop/dpop-access-token-resolver.ts'
import { IssuerAccessTokenResolver } from './resolvers/issuer/issuer-access-token-resolver.ts'
import { OpenAmAccessTokenResolver } from './resolvers/open-am/open-am-access-token-resolver.ts'
import { ScriptableAccessTokenResolver } from './resolvers/scriptable/scriptable-access-token-resolver.ts'
import { StatelessAccessTokenResolver } from './resolvers/stateless/stateless-access-token-resolver.ts'
import { TokenIntrospectionAccessTokenResolver } from './resolvers/token-introspection/token-introspection-access-token-resolver.ts'
import { RequestResourceUriProvider } from './resource-uris/request/request-resource-uri-provider.ts'
import { ScriptableResourceUriProvider } from './resource-uris/scriptable/scriptable-resource-uri-provider.ts'
import { AmService } from './services/am/am-service.ts'
import { AuditService } from './services/audit/audit-service.ts'
import { NoOpAuditService } from './services/no-op-audit/no-op-audit-service.ts'
import { ScheduledExecutorService } from './services/scheduled-executor/scheduled-executor-service.ts'
import { TemporaryStorage } from './services/temporary-storage/temporary-storage.ts'
import { InMemorySessionManager } from './sessions/in-memory/in-memory-session-manager.ts'
import { AuthenticatedEncryptedJwtSessionManager } from './sessions/jwt/authenticated-encrypted-jwt-session-manager.ts'
import { RedisSessionManager } from './sessions/redis/redis-session-manager.ts'
import { Base64EncodedSecretStore } from './stores/base64-encoded/base64-encoded-secret-store.ts'
import { FileSystemSecretStore } from './stores/file-system/file-system-secret-store.ts'
import { JwkSetSecretStore } from './stores/jwk-set/jwk-set-secret-store.ts'
import { KeyStoreSecretStore } from './stores/key-store/key-store-secret-store.ts'
import { SecretsProvider } from './stores/secrets-provider/secrets-provider.ts'
import { SystemAndEnvSecretStore } from './stores/system-and-env/system-and-env-secret-store.ts'
import { DefaultRateThrottlingPolicy } from './throttling/default-rate/default-rate-throttling-policy.ts'
import { MappedThrottlingPolicy } from './throttling/mapped/mapped-throttling-policy.ts'
import { RedisThrottlingStore } from './throttling/redis-store/redis-throttling-store.ts'
import { ScriptableThrottlingPolicy } from './throttling/scriptable/scriptable-throttling-policy.ts'
import { ClientTlsOptions } from './tls/client-tls-options/client-tls-options.ts'
import { KeyManager } from './tls/key-manager/key-manager.ts'
import { KeyStore } from './tls/key-store/key-store.ts'
import { SecretsKeyManager } from './tls/secrets-key-manager/secrets-key-manager.ts'
import { SecretsTrustManager } from './tls/secrets-trust-manager/secrets-trust-manager.ts'
import { ServerTlsOptions } from './tls/server-tls-options/server-tls-options.ts'
import { TlsOptions } from './tls/tls-options/tls-options.ts'
import { TrustAllManager } from './tls/trust-all-manager/trust-all-manager.ts'
import { TrustManager } from './tls/trust-manager/trust-manager.ts'

/** Every built-in object type. A type is in the gateway when it stands here. */
export const CATALOGUE: readonly TypeDefinition[] = [
  AllowOnlyFilter,
  AmService,
  AssignmentFilter,
  AuditFilter,
  AuditService,
  AuthenticatedEncryptedJwtSessionManager,
  AuthorizationCodeOAuth2ClientFilter,
  Base64EncodedSecretStore,
  Base64PropertyFormat,
  BaseUriDecorator,
  CacheAccessTokenResolver,
  CaptureDecorator,
  CertificateThumbprintFilter,
  Chain,
  ChainOfFilters,
  CircuitBreakerFilter,
  ClientCredentialsOAuth2ClientFilter,
  ClientHandler,
  ClientRegistration,
  ClientSecretBasicAuthenticationFilter,
  ClientSecretPostAuthenticationFilter,
  ClientTlsOptions,
  ConditionEnforcementFilter,
  ConditionalFilter,
  ConfirmationKeyVerifierAccessTokenResolver,
  CookieFilter,
  CorsFilter,
  CrossDomainSingleSignOnFilter,
  CsrfFilter,
  CsvAuditEventHandler,
  CustomProxyOptions,
  DefaultRateThrottlingPolicy,
  Delegate,
  DispatchHandler,
  DpopAccessTokenResolver,
  DpopClientFilter,
  FileSystemSecretStore,
  ForwardedRequestFilter,
  HeaderFilter,
  HttpBasicAuthenticationClientFilter,
  IdTokenValidationFilter,
  InMemorySessionManager,
  Issuer,
  IssuerAccessTokenResolver,
  JmsAuditEventHandler,
  JsonAuditEventHandler,
  JsonStdoutAuditEventHandler,
  JwkPropertyFormat,
  JwkSetHandler,
  JwkSetSecretStore,
  JwtBuilderFilter,
  JwtValidationFilter,
  KafkaAuditEventHandler,
  KeyManager,
  KeyStore,
  KeyStoreSecretStore,
  LocationHeaderFilter,
  MappedThrottlingPolicy,
  NoOpAuditService,
  NoProxyOptions,
  OAuth2ResourceServerFilter,
  OAuth2TokenExchangeFilter,
  OpenAmAccessTokenResolver,
  OtlpAuditEventHandler,
  PemPropertyFormat,
  PlainPropertyFormat,
  PolicyEnforcementFilter,
  PrivateKeyJwtClientAuthenticationFilter,
  RedisSessionManager,
  RedisThrottlingStore,
  RequestResourceUriProvider,
  ResourceHandler,
  ResourceOwnerOAuth2ClientFilter,
  ReverseProxyHandler,
  Router,
  ScheduledExecutorService,
  ScriptableAccessTokenResolver,
  ScriptableFilter,
  ScriptableHandler,
  ScriptableJwtValidatorCustomizer,
  ScriptableResourceAccess,
  ScriptableResourceUriProvider,
  ScriptableThrottlingPolicy,
  SecretKeyPropertyFormat,
  SecretsKeyManager,
  SecretsProvider,
  SecretsTrustManager,
  SequenceHandler,
  ServerTlsOptions,
  SingleSignOnFilter,
  StatelessAccessTokenResolver,
  StaticRequestFilter,
  StaticResponseHandler,
  SwitchFilter,
  SyslogAuditEventHandler,
  SystemAndEnvSecretStore,
  SystemProxyOptions,
  TemporaryStorage,
  ThrottlingFilter,
  TimerDecorator,
  TlsOptions,
  TokenIntrospectionAccessTokenResolver,
  TransactionIdOutboundFilter,
  TrustAllManager,
  TrustManager,
  UriPathRewriteFilter,
  WelcomeHandler,
]
