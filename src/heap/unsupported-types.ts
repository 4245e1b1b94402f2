const SAML =
  'log users in by OpenID Connect (AuthorizationCodeOAuth2ClientFilter), or at an access manager (SingleSignOnFilter), which can federate by SAML itself'
const FAPI =
  'let the authorization server enforce FAPI; APIs are protected by OAuth2ResourceServerFilter with ConfirmationKeyVerifierAccessTokenResolver or DpopAccessTokenResolver, and FapiInteractionIdFilter'
const AUDIT =
  'use JsonAuditEventHandler, SyslogAuditEventHandler, KafkaAuditEventHandler or OtlpAuditEventHandler, and load the events from there'

const ASSERTION =
  'let the access manager authenticate users in its journeys, without a node for identity assertion, and protect routes by SingleSignOnFilter'

const RISK =
  'nothing here evaluates risks: let the access manager do so in its journeys, and require the result by PolicyEnforcementFilter, whose advices ask users to authenticate again'
const QUEUE =
  'nothing here sends requests to a message queue: send them by HTTP to a service that does (ReverseProxyHandler), or publish events by AuditFilter with KafkaAuditEventHandler or JmsAuditEventHandler'
const MCP =
  'nothing here checks the messages of MCP: protect the route by OAuth2ResourceServerFilter, and check Origin, method and body in a ScriptableFilter'

/** Types of other gateways that do not exist here, and their replacements. */
export const UNSUPPORTED_TYPES: ReadonlyMap<string, string> = new Map([
  ['DesKeyGenHandler', 'generate keys of 256 bits for AES, such as by "openssl rand -base64 32"'],
  ['ElasticsearchAuditEventHandler', AUDIT],
  ['EmbeddedKafka', QUEUE],
  [
    'ExceptionFilter',
    'the gateway turns faults into responses itself; a ScriptableFilter replaces a response by its status, see the guide "Error responses"',
  ],
  ['FapiAuthorizeFilterChain', FAPI],
  ['FapiDcrFilterChain', FAPI],
  ['FapiParFilterChain', FAPI],
  ['FapiPassThroughFilterChain', FAPI],
  ['FapiResourceFilterChain', FAPI],
  ['FapiResourceUnprotectedFilterChain', FAPI],
  ['FapiTokenFilterChain', FAPI],
  ['FapiWellKnownFilterChain', FAPI],
  ['ICAP', 'nothing here calls a content scanner: place one between the gateway and the application'],
  ['IdentityAssertionHandler', ASSERTION],
  ['JdbcAuditEventHandler', AUDIT],
  [
    'McpAuditFilter',
    'an AuditFilter writes events of a custom topic, with fields by expression; see the guide "Audit"',
  ],
  ['McpProtectionFilter', MCP],
  ['MCPServerFeaturesFilter', MCP],
  ['McpValidationFilter', MCP],
  ['MonitorEndpointHandler', 'metrics are at the management connector; see the guide "Monitoring"'],
  ['MQ_IBM', QUEUE],
  ['MQ_Kafka', QUEUE],
  ['PingOneProtectEvaluationFilter', RISK],
  ['PingOneProtectFeedbackFailureFilter', RISK],
  ['PingOneProtectFeedbackSuccessFilter', RISK],
  ['PingOneProtectThreatLevelRoutingHandler', RISK],
  ['PingOneService', RISK],
  ['SamlFederationFilter', SAML],
  ['SamlFederationHandler', SAML],
  ['ScriptableIdentityAssertionPlugin', ASSERTION],
  ['SplunkAuditEventHandler', AUDIT],
])
