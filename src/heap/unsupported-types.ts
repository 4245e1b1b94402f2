const SAML =
  'log users in by OpenID Connect (AuthorizationCodeOAuth2ClientFilter), or at an access manager (SingleSignOnFilter), which can federate by SAML itself'
const FAPI =
  'let the authorization server enforce FAPI; APIs are protected by OAuth2ResourceServerFilter with ConfirmationKeyVerifierAccessTokenResolver or DpopAccessTokenResolver, and FapiInteractionIdFilter'
const AUDIT =
  'use JsonAuditEventHandler, SyslogAuditEventHandler, KafkaAuditEventHandler or OtlpAuditEventHandler, and load the events from there'

const ASSERTION =
  'let the access manager authenticate users in its journeys, without a node for identity assertion, and protect routes by SingleSignOnFilter'

/** Types of other gateways that do not exist here, and their replacements. */
export const UNSUPPORTED_TYPES: ReadonlyMap<string, string> = new Map([
  ['DesKeyGenHandler', 'generate keys of 256 bits for AES, such as by "openssl rand -base64 32"'],
  ['ElasticsearchAuditEventHandler', AUDIT],
  ['FapiAuthorizeFilterChain', FAPI],
  ['FapiDcrFilterChain', FAPI],
  ['FapiParFilterChain', FAPI],
  ['FapiPassThroughFilterChain', FAPI],
  ['FapiResourceFilterChain', FAPI],
  ['FapiTokenFilterChain', FAPI],
  ['FapiWellKnownFilterChain', FAPI],
  ['IdentityAssertionHandler', ASSERTION],
  ['JdbcAuditEventHandler', AUDIT],
  [
    'McpAuditFilter',
    'an AuditFilter writes events of a custom topic, with fields by expression; see the guide "Audit"',
  ],
  [
    'McpValidationFilter',
    'nothing here checks the messages of MCP: protect the route by OAuth2ResourceServerFilter, and check Origin, method and body in a ScriptableFilter',
  ],
  ['MonitorEndpointHandler', 'metrics are at the management connector; see the guide "Monitoring"'],
  ['SamlFederationFilter', SAML],
  ['SamlFederationHandler', SAML],
  ['ScriptableIdentityAssertionPlugin', ASSERTION],
  ['SplunkAuditEventHandler', AUDIT],
])
