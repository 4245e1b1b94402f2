const FAPI =
  'only the FAPI chains of PingGateway use it, which this gateway does not have; to call an identity manager, use a ScriptableFilter with a handler behind ClientCredentialsOAuth2ClientFilter or ResourceOwnerOAuth2ClientFilter'

/** Types of older gateways whose objects have no effect today, and the reason. Objects of these types are not built. */
export const RETIRED_TYPES: ReadonlyMap<string, string> = new Map([
  ['ConsoleLogSink', 'the gateway has one log; set logging in admin.json'],
  ['FileLogSink', 'the gateway has one log, on standard output; set logging in admin.json'],
  ['NullLogSink', 'the gateway has one log; set logging in admin.json'],
  ['Slf4jLogSink', 'the gateway has one log; set logging in admin.json'],
  ['HttpClient', 'connections and TLS are set on each ClientHandler and ReverseProxyHandler'],
  ['CachingJwkSetService', FAPI],
  ['IdmApiClientOrganisationService', FAPI],
  ['IdmApiClientService', FAPI],
  ['IdmService', FAPI],
  ['TrustedDirectory', FAPI],
  ['TrustedDirectoryService', FAPI],
  ['IssuerRepository', 'a filter knows the issuers of its registrations'],
])
