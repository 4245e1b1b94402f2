import type { JsonObject } from '#json'

/** A route of the shape in which other gateways have it, with one old spelling in it. */
export interface DialectFile {
  /** Type and spelling as on the page of older spellings: `Type field`. */
  readonly id: string
  readonly route: JsonObject
  /** The warning about the spelling; null where it is accepted without one. */
  readonly warning: RegExp | null
  /** Whether the warning stays after a migration, since only a person can decide. */
  readonly isDecision: boolean
}

/** Objects of one type with old spellings. */
interface Samples {
  /** A configuration without old spellings. */
  readonly base: JsonObject
  /** Old spellings, each with the members that replace or complete those of `base`; null removes one. */
  readonly old: Readonly<Record<string, JsonObject>>
  /** Spellings that a migration leaves. */
  readonly decisions?: readonly string[]
}

const provider = {
  type: 'FileSystemSecretStore',
  config: {
    directory: 'secrets',
    format: 'PLAIN',
    mappings: [{ secretId: 'tls', format: { type: 'PemPropertyFormat' } }],
  },
}
const keystore = {
  type: 'KeyStore',
  config: { url: 'KEYSTORE', passwordSecretId: 'keystore', secretsProvider: 'secrets' },
}
const amService = {
  type: 'AmService',
  config: {
    url: 'https://am.example.com/am',
    notifications: { enabled: false },
    secretsProvider: 'secrets',
    agent: { username: 'a', passwordSecretId: 'agent' },
  },
}
const issuer = {
  type: 'Issuer',
  config: { wellKnownEndpoint: 'https://op.example.com/.well-known/openid-configuration' },
}
const registration = { clientId: 'c', issuer, scopes: ['openid'] }
const resolver = { endpoint: 'https://as.example.com/introspect', providerHandler: 'ForgeRockClientHandler' }
const answer = { type: 'StaticResponseHandler', config: { status: 200 } }
const trustAll = { type: 'TrustAllManager' }
const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'tls', secretsProvider: 'secrets' } }
const listOf = (name: string, value: JsonObject) => ({ [name]: [value] })

/** Fields of every handler that sends requests. */
const PROXY: Samples = {
  base: {},
  old: {
    waitQueueSize: { waitQueueSize: 10 },
    propagateDisconnection: { propagateDisconnection: true },
    connectionShutdownGracePeriod: { connectionShutdownGracePeriod: '3 seconds' },
    'websocket.maxConnections': { websocket: { enabled: true, maxConnections: 10 } },
    numberOfWorkers: { numberOfWorkers: 2 },
    proxy: { proxy: { uri: 'http://proxy.example.com:3128' } },
    'proxy.password': { proxy: { uri: 'http://proxy.example.com:3128', username: 'u', password: 'open sesame' } },
    systemProxy: { systemProxy: true },
    hostnameVerifier: { hostnameVerifier: 'ALLOW_ALL' },
    keyManager: { keyManager },
    trustManager: { trustManager: trustAll },
    sslCipherSuites: { sslCipherSuites: ['TLS_AES_128_GCM_SHA256'] },
    sslContextAlgorithm: { sslContextAlgorithm: 'TLS' },
    sslEnabledProtocols: { sslEnabledProtocols: ['TLSv1.2'] },
    'websocket.numberOfSelectors': { websocket: { enabled: true, numberOfSelectors: 2 } },
    'websocket.keyManager': { websocket: { enabled: true, keyManager } },
    'websocket.trustManager': { websocket: { enabled: true, trustManager: trustAll } },
    'websocket.sslCipherSuites': { websocket: { enabled: true, sslCipherSuites: ['TLS_AES_128_GCM_SHA256'] } },
    'websocket.sslContextAlgorithm': { websocket: { enabled: true, sslContextAlgorithm: 'TLS' } },
    'websocket.sslEnabledProtocols': { websocket: { enabled: true, sslEnabledProtocols: ['TLSv1.2'] } },
  },
}

const auditFiles = { name: 'files', topics: ['access'], logDirectory: 'logs/files' }
const oldAuditFiles = {
  filePermissions: { filePermissions: 640 },
  'fileRetention.rotationRetentionCheckInterval': { fileRetention: { rotationRetentionCheckInterval: '1 minute' } },
  'security.filename': { security: { enabled: false, filename: 'audit.p12' } },
  'security.password': { security: { enabled: false, password: 'changeit' } },
  'security.keyStoreHandlerName': { security: { enabled: false, keyStoreHandlerName: 'audit' } },
}

const SAMPLES: Readonly<Record<string, Samples>> = {
  AmService: {
    base: { ...amService.config },
    old: { 'agent.password': { agent: { username: 'a', password: 'open sesame' }, secretsProvider: null } },
  },
  AuditService: {
    base: {},
    old: {
      'event-handlers': {
        'event-handlers': [{ class: 'JsonStdoutAuditEventHandler', config: { name: 'a', topics: ['access'] } }],
      },
      enabled: { enabled: true, eventHandlers: [] },
    },
  },
  AuthenticatedEncryptedJwtSessionManager: {
    base: {},
    old: {
      cookieName: { cookieName: 'old' },
      cookieDomain: { cookieDomain: 'example.com' },
      keystore: {
        keystore,
        alias: 'signing',
      },
      alias: {
        keystore,
        alias: 'signing',
      },
      password: {
        keystore,
        alias: 'signing',
        password: 'changeit',
      },
      sharedSecret: { sharedSecret: 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=' },
    },
    decisions: ['keystore', 'alias', 'password', 'sharedSecret'],
  },
  AuthorizationCodeOAuth2ClientFilter: {
    base: {
      clientEndpoint: '/openid',
      failureHandler: answer,
      registrations: [{ type: 'ClientRegistration', config: registration }],
    },
    old: {
      registration: { registrations: null, registration: { type: 'ClientRegistration', config: registration } },
      issuerRepository: { issuerRepository: 'Issuers' },
      draftMixUpMitigation: { draftMixUpMitigation: true },
      executor: { executor: 'ScheduledExecutorService' },
      metadata: { metadata: { redirect_uris: ['https://app.example.com/openid/callback'] } },
      discoveryHandler: { discoveryHandler: 'ClientHandler' },
      discoverySecretId: { discoverySecretId: 'discovery' },
      tokenEndpointAuthMethod: { tokenEndpointAuthMethod: 'private_key_jwt' },
      tokenEndpointAuthSigningAlg: { tokenEndpointAuthSigningAlg: 'RS256' },
      secretsProvider: { secretsProvider: 'secrets' },
    },
  },
  CacheAccessTokenResolver: {
    base: { delegate: { type: 'TokenIntrospectionAccessTokenResolver', config: resolver } },
    old: { maxTimeout: { maxTimeout: '5 minutes' }, maxSize: { maxSize: 10 } },
  },
  CaptureFilter: {
    base: {},
    old: { file: { file: '/tmp/gateway.log' }, charset: { charset: 'UTF-8' }, format: { format: 'x' } },
  },
  ClientCredentialsOAuth2ClientFilter: {
    base: { tokenEndpoint: 'https://as.example.com/token' },
    old: {
      handler: { handler: 'ClientHandler' },
      clientSecretId: { clientId: 'c', clientSecretId: 'client', secretsProvider: 'secrets' },
    },
  },
  ClientHandler: { ...PROXY, old: { ...PROXY.old, disableRetries: { disableRetries: true } } },
  ReverseProxyHandler: PROXY,
  ClientRegistration: {
    base: registration,
    old: {
      clientSecret: { clientSecret: 'open sesame' },
      tokenEndpointUseBasicAuth: {
        clientSecretId: 'client',
        secretsProvider: 'secrets',
        tokenEndpointUseBasicAuth: false,
      },
      clientSecretIdUsage: { clientSecretIdUsage: 'PASSWORD' },
      clientSecretUsage: { clientSecretUsage: 'PASSWORD' },
      redirect_uris: { redirect_uris: ['https://app.example.com/openid/callback'] },
      issuerRepository: { issuerRepository: 'Issuers' },
      tokenEndpointAuthMethod: {
        clientSecretId: 'client',
        secretsProvider: 'secrets',
        tokenEndpointAuthMethod: 'client_secret_post',
      },
      tokenEndpointAuthSigningAlg: { tokenEndpointAuthSigningAlg: 'ES256' },
      privateKeyJwtSecretId: {
        tokenEndpointAuthMethod: 'private_key_jwt',
        privateKeyJwtSecretId: 'signing',
        secretsProvider: 'secrets',
      },
      jwtExpirationTimeout: { jwtExpirationTimeout: '2 minutes' },
    },
  },
  ClientTlsOptions: { base: {}, old: { offloadHandshake: { offloadHandshake: true } } },
  ServerTlsOptions: { base: { keyManager }, old: { offloadHandshake: { offloadHandshake: true } } },
  TlsOptions: { base: {}, old: { offloadHandshake: { offloadHandshake: true } } },
  CorsFilter: { base: {}, old: { 'policies[].origins': listOf('policies', { origins: ['https://a.example.com'] }) } },
  CrossDomainSingleSignOnFilter: {
    base: { amService, redirectEndpoint: '/home/id/*', authCookie: { path: '/', name: 'ig-token' } },
    old: { createSession: { createSession: true } },
  },
  DispatchHandler: {
    base: { bindings: [{ handler: answer }] },
    old: {
      'bindings[].capture': listOf('bindings', { handler: answer, capture: 'all' }),
      'bindings[].timer': listOf('bindings', { handler: answer, timer: true }),
      'bindings[].name': listOf('bindings', { handler: answer, name: 'first' }),
    },
  },
  SequenceHandler: {
    base: {},
    old: {
      'bindings[].capture': listOf('bindings', { handler: answer, capture: 'all' }),
      'bindings[].timer': listOf('bindings', { handler: answer, timer: true }),
      'bindings[].baseURI': listOf('bindings', { handler: answer, baseURI: 'http://a.example.com' }),
      'bindings[].name': listOf('bindings', { handler: answer, name: 'first' }),
    },
  },
  SwitchFilter: {
    base: {},
    old: Object.fromEntries(
      ['onRequest', 'onResponse'].flatMap((when) => [
        [`${when}[].capture`, listOf(when, { condition: '${true}', handler: answer, capture: 'all' })],
        [`${when}[].timer`, listOf(when, { condition: '${true}', handler: answer, timer: true })],
        [`${when}[].baseURI`, listOf(when, { condition: '${true}', handler: answer, baseURI: 'http://a.example.com' })],
        [`${when}[].name`, listOf(when, { condition: '${true}', handler: answer, name: 'first' })],
      ]),
    ),
  },
  Issuer: {
    base: { authorizeEndpoint: 'https://op.example.com/authorize', tokenEndpoint: 'https://op.example.com/token' },
    old: {
      well_known: {
        authorizeEndpoint: null,
        tokenEndpoint: null,
        well_known: 'https://op.example.com/.well-known/openid-configuration',
      },
      authorization_endpoint: { authorizeEndpoint: null, authorization_endpoint: 'https://op.example.com/authorize' },
      token_endpoint: { tokenEndpoint: null, token_endpoint: 'https://op.example.com/token' },
      userinfo_endpoint: { userinfo_endpoint: 'https://op.example.com/userinfo' },
      end_session_endpoint: { end_session_endpoint: 'https://op.example.com/logout' },
      revocation_endpoint: { revocation_endpoint: 'https://op.example.com/revoke' },
      registration_endpoint: { registration_endpoint: 'https://op.example.com/register' },
      registrationEndpoint: { registrationEndpoint: 'https://op.example.com/register' },
      issuerRepository: { issuerRepository: 'Issuers' },
    },
  },
  CsvAuditEventHandler: { base: auditFiles, old: oldAuditFiles },
  CryptoHeaderFilter: {
    base: {
      messageType: 'REQUEST',
      operation: 'DECRYPT',
      keySecretId: 'verify',
      secretsProvider: 'secrets',
      headers: ['X-Password'],
    },
    old: {
      charSet: { charSet: 'utf-8' },
      key: { keySecretId: null, secretsProvider: null, key: 'MDEyMzQ1Njc4OTAxMjM0NQ==' },
    },
    decisions: ['charSet', 'key'],
  },
  FileAttributesFilter: {
    base: { file: 'people.csv', key: 'username', value: '${request.queryParams.name[0]}' },
    old: {
      executor: { executor: 'ScheduledExecutorService' },
      target: { target: '${attributes.person}' },
    },
  },
  JdbcDataSource: {
    base: {
      jdbcUrl: 'jdbc:postgresql://127.0.0.1/users',
      username: 'web',
      passwordSecretId: 'client',
      secretsProvider: 'secrets',
    },
    old: {
      password: { passwordSecretId: null, secretsProvider: null, password: 'open sesame' },
      'properties.password': {
        jdbcUrl: null,
        passwordSecretId: null,
        secretsProvider: null,
        dataSourceClassName: 'org.postgresql.ds.PGSimpleDataSource',
        properties: { serverName: '127.0.0.1', user: 'web', password: 'open sesame' },
      },
    },
  },
  SqlAttributesFilter: {
    base: {
      dataSource: {
        type: 'JdbcDataSource',
        config: { jdbcUrl: 'jdbc:postgresql://127.0.0.1/users', username: 'web' },
      },
      preparedStatement: 'SELECT * FROM people WHERE name = ?',
      parameters: ['${request.queryParams.name[0]}'],
    },
    old: { target: { target: '${attributes.sql}' } },
  },
  JsonAuditEventHandler: {
    base: auditFiles,
    old: {
      ...oldAuditFiles,
      'buffering.enabled': { buffering: { enabled: true } },
      'buffering.maxBatchedEvents': { buffering: { maxBatchedEvents: 500 } },
    },
  },
  KeyManager: {
    base: { keystore },
    old: { password: { password: 'changeit' } },
  },
  KeyStore: { base: { url: 'KEYSTORE' }, old: { password: { password: 'changeit' } } },
  HsmSecretStore: {
    base: {
      library: '/usr/lib/softhsm/libsofthsm2.so',
      storePasswordSecretId: 'keystore',
      secretsProvider: 'secrets',
      mappings: [{ secretId: 'x', aliases: ['signing'] }],
    },
    old: {
      storePassword: { storePasswordSecretId: null, storePassword: 'keystore' },
      providerName: { providerName: 'SunPKCS11-SoftHSM' },
    },
  },
  KeyStoreSecretStore: {
    base: {
      file: 'KEYSTORE',
      storeType: 'PKCS12',
      storePasswordSecretId: 'keystore',
      secretsProvider: 'secrets',
      mappings: [{ secretId: 'x', aliases: ['signing'] }],
    },
    old: {
      storePassword: { storePasswordSecretId: null, storePassword: 'keystore' },
      keyEntryPassword: { keyEntryPassword: 'keystore' },
      securityProvider: { securityProvider: 'SUN' },
    },
  },
  OAuth2ResourceServerFilter: {
    base: {
      scopes: ['a'],
      requireHttps: false,
      accessTokenResolver: { type: 'TokenIntrospectionAccessTokenResolver', config: resolver },
    },
    old: {
      tokenInfoEndpoint: { accessTokenResolver: null, tokenInfoEndpoint: 'https://am.example.com/tokeninfo' },
      providerHandler: {
        accessTokenResolver: null,
        tokenInfoEndpoint: 'https://am.example.com/tokeninfo',
        providerHandler: 'ClientHandler',
      },
      cacheExpiration: { cacheExpiration: '2 minutes' },
      requiredScopes: { scopes: null, requiredScopes: ['a'] },
      enforceHttps: { requireHttps: null, enforceHttps: false },
      'cache.maximumTimeToCache': { cache: { enabled: true, maximumTimeToCache: '2 minutes' } },
      target: { target: '${attributes.token}' },
    },
    decisions: ['tokenInfoEndpoint', 'providerHandler'],
  },
  OpenAmAccessTokenResolver: {
    base: { endpoint: 'https://am.example.com/tokeninfo', providerHandler: 'ClientHandler' },
    old: {
      'cache.maximumTimeToCache': { cache: { enabled: true, maximumTimeToCache: '2 minutes' } },
      cache: { cache: { enabled: true } },
    },
    decisions: ['cache.maximumTimeToCache', 'cache'],
  },
  TokenIntrospectionAccessTokenResolver: {
    base: resolver,
    old: {
      'cache.maximumTimeToCache': { cache: { enabled: true, maximumTimeToCache: '2 minutes' } },
      cache: { cache: { enabled: true } },
    },
  },
  PolicyEnforcementFilter: {
    base: { amService, ssoTokenSubject: '${contexts.ssoToken.value}' },
    old: {
      ...Object.fromEntries(
        ['openamUrl', 'pepUsername', 'pepPassword', 'realm', 'amHandler', 'ssoTokenHeader'].map((name) => [
          name,
          {
            amService: null,
            openamUrl: 'https://am.example.com/openam',
            pepUsername: 'agent',
            pepPassword: 'open sesame',
            realm: '/a',
            amHandler: 'ClientHandler',
            ssoTokenHeader: 'iPlanetDirectoryPro',
          },
        ]),
      ),
      cacheMaxExpiration: { cacheMaxExpiration: '2 minutes' },
      'cache.maxTimeout': { cache: { enabled: true, maxTimeout: '2 minutes' } },
      useLegacyAdviceEncoding: { useLegacyAdviceEncoding: true },
      target: { target: '${attributes.policy}' },
    },
  },
  SingleSignOnFilter: {
    base: { amService },
    old: {
      logoutEndpoint: { logoutEndpoint: "${find(request.uri.path, '/logout')}" },
      ...Object.fromEntries(
        ['openamUrl', 'cookieName', 'realm', 'amHandler'].map((name) => [
          name,
          {
            amService: null,
            openamUrl: 'https://am.example.com/openam',
            cookieName: 'iPlanetDirectoryPro',
            realm: '/',
            amHandler: 'ClientHandler',
          },
        ]),
      ),
    },
  },
  CapturedUserPasswordFilter: {
    base: { amService, keySecretId: 'verify', secretsProvider: 'secrets' },
    old: { key: { keySecretId: null, key: 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=', secretsProvider: null } },
  },
  PasswordReplayFilter: {
    base: { loginPage: '${true}', request: { method: 'POST', uri: 'https://app.example.com/login' } },
    old: {
      'headerDecryption.key': { headerDecryption: { key: 'MDEyMzQ1Njc4OTAxMjM0NQ==', headers: ['password'] } },
      'headerDecryption.charSet': {
        headerDecryption: {
          keySecretId: 'verify',
          secretsProvider: 'secrets',
          charSet: 'utf-8',
          headers: ['password'],
        },
      },
      loginPageMaxCharsPerLine: { loginPageMaxCharsPerLine: 100 },
      'request.version': {
        request: { method: 'POST', uri: 'https://app.example.com/login', version: 'HTTP/1.1' },
      },
    },
  },
  TokenTransformationFilter: {
    base: { amService, idToken: '${attributes.token}', instance: 'oidc-to-saml' },
    old: {
      ...Object.fromEntries(
        ['openamUri', 'realm', 'username', 'password', 'amHandler', 'ssoTokenHeader'].map((name) => [
          name,
          {
            amService: null,
            openamUri: 'https://am.example.com/openam',
            realm: '/',
            username: 'a',
            password: 'open sesame',
            amHandler: 'ClientHandler',
            ssoTokenHeader: 'iPlanetDirectoryPro',
          },
        ]),
      ),
      from: { from: 'OPENIDCONNECT' },
      to: { to: 'SAML2' },
    },
  },
  PingAuthorizeFilter: {
    base: {
      gatewayServiceUri: 'https://authorize.example.com',
      secretsProvider: 'secrets',
      gatewayCredentialSecretId: 'client',
    },
    old: { includeBody: { includeBody: true } },
  },
  UmaService: {
    base: {
      protectionApiHandler: 'ClientHandler',
      authorizationServerUri: 'https://am.example.com/openam',
      clientId: 'c',
      clientSecretId: 'client',
      secretsProvider: 'secrets',
      resources: [{ pattern: '.*', actions: [{ scopes: ['view'], condition: '${true}' }] }],
    },
    old: { clientSecret: { clientSecretId: null, secretsProvider: null, clientSecret: 'open sesame' } },
  },
  UserProfileFilter: {
    base: {},
    old: Object.fromEntries(
      ['amService', 'ssoToken', 'profileAttributes'].map((name) => [
        name,
        { amService, ssoToken: '${contexts.ssoToken.value}', profileAttributes: ['mail'] },
      ]),
    ),
  },
  Router: {
    base: { directory: 'elsewhere' },
    old: { failOnRouteError: { failOnRouteError: false }, delayRouteMetrics: { delayRouteMetrics: true } },
  },
  ScheduledExecutorService: { base: {}, old: { corePoolSize: { corePoolSize: 4 } } },
  SecretsTrustManager: {
    base: { secretsProvider: 'secrets' },
    old: { certificateVerificationSecretId: { certificateVerificationSecretId: 'ca' } },
  },
  StatelessAccessTokenResolver: {
    base: { issuer: 'https://op.example.com', secretsProvider: 'secrets', verificationSecretId: 'verify' },
    old: {
      signatureSecretId: { verificationSecretId: null, signatureSecretId: 'verify' },
      encryptionSecretId: { encryptionSecretId: 'decrypt' },
    },
  },
  StaticRequestFilter: {
    base: { method: 'GET', uri: 'http://a.example.com/' },
    old: { version: { version: 'HTTP/1.1' } },
  },
  StaticResponseHandler: { base: { status: 200 }, old: { version: { version: 'HTTP/1.1' } } },
  SyslogAuditEventHandler: {
    base: { name: 'syslog', topics: ['access'], protocol: 'TCP', host: '127.0.0.1', port: 6514, facility: 'local0' },
    old: { productName: { productName: 'ig' } },
  },
}

const HAS_NO_EFFECT = /no effect|no longer used/

type OtherFile = readonly [id: string, route: JsonObject, warning: RegExp | null]

/** Other names of types, with a configuration. */
const OTHER_NAMES: Readonly<Record<string, JsonObject>> = {
  JwtSessionManager: {},
  JwtSession: {},
  JwtSessionFactory: {},
  OAuth2ClientFilter: {
    clientEndpoint: '/openid',
    failureHandler: answer,
    registrations: [{ type: 'ClientRegistration', config: registration }],
  },
  OAuth2RSFilter: {
    scopes: ['a'],
    accessTokenResolver: { type: 'TokenIntrospectionAccessTokenResolver', config: resolver },
  },
  RedirectFilter: { baseURI: 'https://app.example.com' },
  RouterHandler: { directory: 'elsewhere' },
  'org.forgerock.openig.handler.StaticResponseHandler': { status: 200 },
}

/** Files with old names of types, old shapes and obsolete objects. */
const OTHERS: readonly OtherFile[] = [
  ...['ConsoleLogSink', 'FileLogSink', 'NullLogSink', 'Slf4jLogSink', 'HttpClient', 'IssuerRepository'].map(
    (type): OtherFile => {
      return [`type ${type}`, { heap: [{ name: 'a', type }], handler: answer }, HAS_NO_EFFECT]
    },
  ),
  ...Object.entries(OTHER_NAMES).map(([type, config]): OtherFile => {
    return [`type ${type}`, { heap: [{ name: 'a', type, config }], handler: answer }, null]
  }),
  ['document handlerObject', { handlerObject: 'a', heap: [{ name: 'a', ...answer }] }, /handlerObject is deprecated/],
  ['document heap.objects', { heap: { objects: [{ name: 'a', ...answer }] }, handler: 'a' }, /objects is deprecated/],
  ['document monitor', { monitor: true, handler: answer }, HAS_NO_EFFECT],
  ['document audit', { audit: 'x', handler: answer }, HAS_NO_EFFECT],
  ['object monitor', { handler: { ...answer, monitor: true } }, HAS_NO_EFFECT],
  ['object audit', { handler: { ...answer, audit: 'x' } }, HAS_NO_EFFECT],
  [
    'config logSink',
    { handler: { type: 'StaticResponseHandler', config: { status: 200, logSink: 'LogSink' } } },
    HAS_NO_EFFECT,
  ],
  [
    'config timer',
    { handler: { type: 'StaticResponseHandler', config: { status: 200, timer: true } } },
    /timer is a decorator/,
  ],
  [
    'config temporaryStorage',
    { handler: { type: 'StaticResponseHandler', config: { status: 200, temporaryStorage: 'x' } } },
    HAS_NO_EFFECT,
  ],
  [
    'config capture',
    { handler: { type: 'StaticResponseHandler', config: { status: 200, capture: 'all' } } },
    /capture is a decorator/,
  ],
  ['key with blanks', { ' handler ': answer }, /has blanks at its ends/],
  [
    'field with blanks',
    { handler: { type: 'StaticResponseHandler', config: { 'status ': 200 } } },
    /has blanks at its ends/,
  ],
  [
    'one value for a list',
    { handler: { type: 'Chain', config: { filters: { type: 'DateHeaderFilter' }, handler: answer } } },
    /expected a list/,
  ],
  [
    'a list for one value',
    { handler: { type: 'Chain', config: { filters: [], handler: [answer] } } },
    /expected one value/,
  ],
]

/** All files: one for each spelling. `file` is the path of a PKCS #12 file with the key `signing`. */
export function dialectFiles(file: string): DialectFile[] {
  const fields = Object.entries(SAMPLES).flatMap(([type, { base, old, decisions = [] }]) =>
    Object.entries(old).map(([field, members]) => {
      const route = JSON.stringify(routeWith(type, merged(base, members))).replaceAll('KEYSTORE', file)
      const name = field.split(/[.\]]/).at(-1) as string
      return {
        id: `${type} ${field}`,
        route: JSON.parse(route) as JsonObject,
        warning: new RegExp(`\\b${name}\\b.*(?:deprecated|no effect)|${name} is a decorator`),
        isDecision: decisions.includes(field),
      }
    }),
  )
  const others = OTHERS.map(([id, route, warning]) => ({
    id,
    route: { condition: '${false}', ...route },
    warning,
    isDecision: false,
  }))
  return [...fields, ...others]
}

function routeWith(type: string, config: JsonObject): JsonObject {
  const heap = [
    { name: 'secrets', ...provider },
    { name: 'subject', type, config },
  ]
  return { heap, condition: '${false}', handler: answer }
}

function merged(base: JsonObject, members: JsonObject): JsonObject {
  const entries = Object.entries({ ...base, ...members }).filter(([, value]) => value !== null)
  return Object.fromEntries(entries)
}
