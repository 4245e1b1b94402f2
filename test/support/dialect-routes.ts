import type { DevelopmentAccessManager } from '#dev'
import type { IntrospectionServer } from './introspection-server.ts'
import type { RequestOptions } from './send-request.ts'

/** Servers that the routes use. */
export interface DialectPeers {
  readonly manager: DevelopmentAccessManager
  readonly openam: DevelopmentAccessManager
  readonly tokens: IntrospectionServer
  /** Responds with the host, path and headers of the request. */
  readonly echo: string
  /** Closes each connection; counts them. */
  readonly closing: { readonly url: string; readonly accepted: number }
}

/** A route in the spelling of an older or newer gateway. */
export interface DialectRoute {
  readonly id: string
  /** A route without condition, or its text with `CONDITION` in it. */
  readonly route: object | string
  /** What the log says about the file. */
  readonly warnings: readonly RegExp[]
  readonly request?: RequestOptions & { readonly query?: string }
  readonly status?: number
  readonly text?: RegExp
  readonly location?: RegExp
  /** The first cookie that the response sets. */
  readonly cookie?: RegExp
  /** A header field of the response. */
  readonly header?: readonly [string, RegExp]
  /** Sends the request this often; the last response counts. */
  readonly times?: number
  readonly check?: () => void
  /** Warnings that stay after the migration, since only a person can decide. */
  readonly decisions?: readonly RegExp[]
}

const text = (entity: string) => ({ type: 'StaticResponseHandler', config: { status: 200, reason: 'OK', entity } })

const chain = (filter: object | object[], entity: string) => ({
  handler: { type: 'Chain', config: { filters: [filter].flat(), handler: text(entity) } },
})

/** Introspection needs the credentials of a client. */
const RESOLVER = /OpenAmAccessTokenResolver is deprecated/

const bearer = { headers: { Authorization: 'Bearer good' } }

/** One route for each older spelling that has an effect on traffic. */
export function dialectRoutes(peers: DialectPeers): DialectRoute[] {
  return [
    ...tokenRoutes(peers),
    ...accessManagerRoutes(peers),
    ...proxyRoutes(peers),
    ...shapeRoutes(peers),
    ...fileRoutes(peers),
    ...sessionRoutes(),
  ]
}

function tokenRoutes({ tokens }: DialectPeers): DialectRoute[] {
  const asked = (path: string) => tokens.requests.filter(({ target }) => target.startsWith(path)).length
  const expect = (path: string, count: number) => () => {
    if (asked(path) !== count) throw new Error(`${path} was requested ${asked(path)} times instead of ${count}`)
  }
  const rs = (path: string, config: object) => ({
    type: 'OAuth2RSFilter',
    config: { tokenInfoEndpoint: `${tokens.url}/${path}`, requireHttps: false, scopes: ['mail'], ...config },
  })
  const resolver = (path: string, config: object) => ({
    type: 'OAuth2ResourceServerFilter',
    config: {
      requireHttps: false,
      scopes: ['mail'],
      accessTokenResolver: {
        type: 'TokenIntrospectionAccessTokenResolver',
        config: { endpoint: `${tokens.url}/${path}`, providerHandler: 'ClientHandler', ...config },
      },
    },
  })
  return [
    {
      id: 'token-info',
      decisions: [RESOLVER],
      route: chain(
        rs('minute', { providerHandler: 'ClientHandler', target: '${attributes.token}' }),
        '${attributes.token.token} ${contexts.oauth2.accessToken.info.realm}',
      ),
      warnings: [
        /config\/tokenInfoEndpoint: tokenInfoEndpoint, providerHandler are deprecated; use accessTokenResolver/,
        /target is deprecated; use contexts\.oauth2\.accessToken/,
      ],
      request: bearer,
      text: /^good \/$/,
      times: 3,
      check: expect('/minute', 1),
    },
    {
      id: 'cache-expiration-off',
      decisions: [RESOLVER],
      route: chain(rs('uncached', { cacheExpiration: 'disabled' }), 'ok'),
      warnings: [/cacheExpiration is deprecated; use cache with enabled and maxTimeout/],
      request: bearer,
      times: 2,
      check: expect('/uncached', 2),
    },
    {
      id: 'cache-expiration-on',
      decisions: [RESOLVER],
      route: chain(rs('hour', { cacheExpiration: '1 hour', requiredScopes: ['other'], enforceHttps: true }), 'ok'),
      warnings: [
        /cacheExpiration is deprecated/,
        /requiredScopes and scopes are both given; scopes is used/,
        /enforceHttps and requireHttps are both given; requireHttps is used/,
      ],
      request: bearer,
      times: 2,
      check: expect('/hour', 1),
    },
    {
      id: 'resolver-cache',
      route: chain(resolver('introspect-cached', { cache: { enabled: true, maximumTimeToCache: '1 hour' } }), 'ok'),
      warnings: [
        /cache is deprecated; use a CacheAccessTokenResolver/,
        /maximumTimeToCache is deprecated; use maxTimeout/,
      ],
      request: bearer,
      times: 2,
      check: expect('/introspect-cached', 1),
    },
    {
      id: 'cache-resolver',
      decisions: [RESOLVER],
      route: chain(
        {
          type: 'OAuth2ResourceServerFilter',
          config: {
            requireHttps: false,
            scopes: ['mail'],
            accessTokenResolver: {
              type: 'CacheAccessTokenResolver',
              config: {
                maxTimeout: '1 hour',
                maxSize: 10,
                delegate: {
                  type: 'OpenAmAccessTokenResolver',
                  config: { endpoint: `${tokens.url}/delegate`, providerHandler: 'ClientHandler' },
                },
              },
            },
          },
        },
        'ok',
      ),
      warnings: [/maxTimeout is deprecated; use maximumTimeToCache/, /maxSize is deprecated; use maximumSize/],
      request: bearer,
      times: 2,
      check: expect('/delegate', 1),
    },
  ]
}

function accessManagerRoutes({ manager, openam }: DialectPeers): DialectRoute[] {
  const cookie = (token: string) => ({ headers: { Cookie: `iPlanetDirectoryPro=${token}` } })
  const sso = (url: string) => ({
    type: 'SingleSignOnFilter',
    config: { openamUrl: `${url}/`, realm: '/', amHandler: 'ClientHandler', cookieName: 'iPlanetDirectoryPro' },
  })
  const pep = (config: object) => ({
    type: 'PolicyEnforcementFilter',
    config: {
      openamUrl: manager.url,
      pepUsername: 'ig_agent',
      realm: '/',
      ssoTokenSubject: '${contexts.ssoToken.value}',
      ...config,
    },
  })
  const warned = /openamUrl, cookieName, realm, amHandler are deprecated; use an AmService in amService/
  const warnedPolicy = /openamUrl, pepUsername, pepPassword, realm are deprecated; use an AmService/
  return [
    {
      id: 'sso-login',
      route: chain(sso(manager.url), 'ok'),
      warnings: [warned],
      status: 302,
      location: /goto=.*sso-login.*&realm=%2F/,
    },
    {
      id: 'sso-pingam',
      route: chain(sso(manager.url), '${contexts.ssoToken.info.username}'),
      warnings: [warned],
      request: cookie(manager.login('demo')),
      text: /^demo$/,
    },
    {
      id: 'sso-openam',
      route: chain(sso(openam.url), '${contexts.ssoToken.info.username}'),
      warnings: [warned],
      request: cookie(openam.login('demo')),
      text: /^demo$/,
    },
    {
      id: 'policy',
      route: chain(
        [
          sso(manager.url),
          pep({
            pepPassword: 'password',
            cache: { enabled: true, maxTimeout: '1 hour' },
            target: '${attributes.policy}',
          }),
        ],
        '${attributes.policy.attributes != null} ${contexts.policyDecision.actions.GET}',
      ),
      warnings: [
        warned,
        warnedPolicy,
        /maxTimeout is deprecated; use maximumTimeToCache/,
        /target is deprecated; use contexts/,
      ],
      request: cookie(manager.login('demo')),
      text: /^true true$/,
    },
    {
      id: 'policy-of-a-user',
      route: chain([sso(manager.url), pep({ pepUsername: 'amadmin', pepPassword: 'changeit' })], 'ok'),
      warnings: [warnedPolicy],
      request: cookie(manager.login('demo')),
    },
    {
      id: 'policy-cache-max-expiration',
      route: chain([sso(manager.url), pep({ pepPassword: "${'password'}", cacheMaxExpiration: '1 hour' })], 'ok'),
      warnings: [warnedPolicy, /cacheMaxExpiration is deprecated; use cache/],
      request: cookie(manager.login('demo')),
    },
    {
      id: 'agent-password',
      route: chain(
        {
          type: 'SingleSignOnFilter',
          config: {
            amService: {
              type: 'AmService',
              config: {
                url: manager.url,
                agent: { username: 'ig_agent', password: 'password' },
                notifications: { enabled: false },
              },
            },
          },
        },
        '${contexts.ssoToken.info.username}',
      ),
      warnings: [
        /agent\/password: agent\.password is deprecated; it is a secret in clear text: .*set agent\.passwordSecretId to "agent\.password"/,
      ],
      request: cookie(manager.login('demo')),
      text: /^demo$/,
    },
    {
      id: 'login',
      route: {
        heap: [
          {
            name: 'issuer',
            type: 'Issuer',
            config: {
              authorization_endpoint: 'https://op.example/authorize',
              token_endpoint: 'https://op.example/token',
              issuerRepository: 'IssuerRepository',
              issParameterSupported: true,
            },
          },
          {
            name: 'registration',
            type: 'ClientRegistration',
            config: {
              clientId: 'rp',
              clientSecret: 'open sesame',
              clientSecretIdUsage: 'ALL',
              redirect_uris: ['https://gw.example/callback'],
              tokenEndpointUseBasicAuth: false,
              issuer: 'issuer',
              scopes: ['openid'],
            },
          },
          { name: 'IssuerRepository', type: 'IssuerRepository' },
        ],
        ...chain(
          {
            type: 'OAuth2ClientFilter',
            config: {
              clientEndpoint: '/login',
              registration: 'registration',
              requireHttps: false,
              draftMixUpMitigation: true,
              issuerRepository: 'IssuerRepository',
            },
          },
          'ok',
        ),
      },
      warnings: [
        /authorization_endpoint is deprecated; use authorizeEndpoint/,
        /clientSecret is deprecated; .*set clientSecretId to "client\.secret"/,
        /clientSecretIdUsage has no effect/,
        /redirect_uris has no effect: the redirect URI is/,
        /tokenEndpointUseBasicAuth is deprecated; put a filter/,
        /registration is deprecated; use registrations/,
        /draftMixUpMitigation has no effect/,
        /issuerRepository has no effect/,
        /objects of type IssuerRepository have no effect/,
      ],
      request: { headers: { Accept: 'text/html' } },
      status: 302,
      location: /^https:\/\/op\.example\/authorize\?.*client_id=rp/,
    },
  ]
}

function proxyRoutes({ echo, closing }: DialectPeers): DialectRoute[] {
  return [
    {
      id: 'proxy-fields',
      route: {
        handler: {
          type: 'ReverseProxyHandler',
          config: {
            baseURI: echo,
            propagateDisconnection: true,
            waitQueueSize: 100,
            connectionShutdownGracePeriod: '1 second',
            websocket: { enabled: true, maxConnections: 100 },
          },
        },
      },
      warnings: [
        /config\/baseURI: baseURI is a decorator; write it beside type and config/,
        /propagateDisconnection has no effect: the request to the server is always aborted/,
        /waitQueueSize is deprecated; use vertx\.maxWaitQueueSize/,
        /connectionShutdownGracePeriod has no effect/,
        /maxConnections is deprecated; use vertx\.maxWebSockets/,
      ],
      text: /\/proxy-fields/,
    },
    {
      id: 'runtime-exception-condition',
      route: {
        baseURI: closing.url,
        handler: {
          type: 'ReverseProxyHandler',
          config: {
            retries: { count: 3, delay: '1 millisecond', runtimeExceptionCondition: "${request.method == 'PUT'}" },
          },
        },
      },
      warnings: [],
      status: 502,
      check: () => {
        if (closing.accepted !== 1) throw new Error(`${closing.accepted} connections instead of one`)
      },
    },
    {
      id: 'bindings',
      route: {
        handler: {
          type: 'DispatchHandler',
          config: {
            bindings: [
              { name: 'other', condition: '${false}', handler: text('other') },
              { name: 'main', capture: 'request', timer: true, baseURI: echo, handler: 'ReverseProxyHandler' },
            ],
          },
        },
      },
      warnings: [
        /bindings\/0\/name: name has no effect/,
        /capture, timer are deprecated; decorators belong beside type/,
      ],
      text: /\/bindings/,
    },
    {
      id: 'switch',
      route: chain(
        {
          type: 'SwitchFilter',
          config: { onRequest: [{ name: 'a', condition: '${true}', baseURI: echo, handler: 'ReverseProxyHandler' }] },
        },
        'not here',
      ),
      warnings: [
        /onRequest\/0\/name: name has no effect/,
        /baseURI is deprecated; decorators belong beside type and config/,
      ],
      text: /\/switch/,
    },
  ]
}

function shapeRoutes({ echo }: DialectPeers): DialectRoute[] {
  const store = (name: string, secrets: object) => ({ name, type: 'Base64EncodedSecretStore', config: { secrets } })
  const basic = (secretsProvider: unknown) => ({
    type: 'HttpBasicAuthenticationClientFilter',
    config: { username: 'u', passwordSecretId: 'p.w', secretsProvider },
  })
  const proxied = (filter: object) => ({
    baseURI: echo,
    handler: { type: 'Chain', config: { filters: [filter], handler: 'ReverseProxyHandler' } },
  })
  return [
    {
      id: 'header-nulls',
      route: proxied({
        type: 'HeaderFilter',
        config: { messageType: 'REQUEST', remove: [null, 'X-Gone'], add: { 'X-New': [null, 'new'] } },
      }),
      warnings: [],
      request: { headers: { 'X-Gone': 'old' } },
      text: /^(?!.*x-gone).*"x-new":"new"/s,
    },
    {
      id: 'one-store',
      route: { heap: [store('a', { 'p.w': btoa('one') })], ...proxied(basic(['a'])) },
      warnings: [],
      text: new RegExp(btoa('u:one')),
    },
    {
      id: 'two-stores',
      route: { heap: [store('a', {}), store('b', { 'p.w': btoa('two') })], ...proxied(basic(['a', 'b'])) },
      warnings: [],
      text: new RegExp(btoa('u:two')),
    },
    {
      id: 'blanks',
      route: { ' handler': { type: 'StaticResponseHandler', 'config ': { 'status ': 203, entity: 'blank' } } },
      warnings: [/" handler" has blanks/, /"config " has blanks/, /"status " has blanks at its ends; write "status"/],
      status: 203,
      text: /^blank$/,
    },
    {
      id: 'without-effect',
      route: {
        heap: [
          { name: 'LogSink', type: 'ConsoleLogSink', config: { level: 'DEBUG' } },
          { name: 'LogSink2', type: 'FileLogSink', config: { file: '/tmp/gateway.log' } },
          { name: 'LogSink3', type: 'org.forgerock.openig.log.Slf4jLogSink', config: { base: 'x' } },
          { name: 'TimerDecorator', type: 'TimerDecorator', config: { timeUnit: 'ms' } },
        ],
        handler: {
          type: 'StaticResponseHandler',
          monitor: true,
          audit: 'tag',
          config: { status: 200, entity: 'ok', logSink: 'LogSink', temporaryStorage: 'TemporaryStorage', timer: true },
        },
        monitor: { enabled: true },
      },
      warnings: [
        /objects of type ConsoleLogSink have no effect: the gateway has one log/,
        /objects of type FileLogSink have no effect/,
        /objects of type org\.forgerock\.openig\.log\.Slf4jLogSink have no effect/,
        /logSink has no effect/,
        /temporaryStorage has no effect/,
        /timer is a decorator; write it beside/,
        /handler\/monitor: monitor has no effect/,
        /handler\/audit: audit has no effect/,
      ],
    },
  ]
}

/** Sessions, routers and values of older gateways. */
function sessionRoutes(): DialectRoute[] {
  const session = (type: string) => ({
    type,
    config: {
      cookieName: 'old-session',
      sharedSecret: btoa('0123456789abcdef0123456789abcdef'),
      sessionTimeout: '5 minutes',
    },
  })
  const write = { type: 'AssignmentFilter', config: { onRequest: [{ target: '${session.n}', value: 'v' }] } }
  const same =
    "${system['openig.base'] == openig.instanceDirectory} ${system['ig.instance.dir'] == openig.baseDirectory}"
  return [
    {
      id: 'jwt-session',
      decisions: [/sharedSecret is deprecated/],
      route: { session: session('JwtSession'), ...chain(write, '${session.n}') },
      warnings: [
        /cookieName is deprecated; use cookie\.name instead/,
        /sharedSecret is deprecated; use authenticatedEncryptionSecretId, such as "session\.key"/,
      ],
      text: /^v$/,
      cookie: /^old-session=ey/,
    },
    {
      id: 'nested-router',
      decisions: [/sharedSecret is deprecated/],
      route: {
        session: session('JwtSessionFactory'),
        handler: {
          type: 'RouterHandler',
          config: { directory: '${openig.configDirectory}/none', failOnRouteError: true, delayRouteMetrics: true },
        },
      },
      warnings: [/failOnRouteError has no effect/, /delayRouteMetrics has no effect/],
      status: 404,
    },
    { id: 'system-properties', route: { handler: text(same) }, warnings: [], text: /^true true$/ },
  ]
}

/** Files in the shape and syntax of OpenIG 2 and 3. */
function fileRoutes({ echo }: DialectPeers): DialectRoute[] {
  return [
    {
      id: 'openig-2',
      route: `{
        // OpenIG 2
        'heap': {
          "objects": [
            { "name": "LogSink", "type": "ConsoleLogSink", "config": { "level": "DEBUG" }, },
            {
              "name": "Text",
              "type": "StaticResponseHandler",
              "comment": "two
                lines",
              "config": { "status": 200, "entity": "\${exchange.request.method} \${exchange.note} it\\'s
here" }
            },
            {
              "name": "Chain",
              "type": "Chain",
              "config": { "filters": [ "Note" ], "handler": "Text", "logSink": "LogSink" },
            },
            {
              "name": "Note",
              "type": "AssignmentFilter",
              "config": { "onRequest": [ { "target": "\${exchange.note}", "value": "kept" } ] }
            },
          ]
        },
        "condition": "CONDITION",
        "handlerObject": "Chain",
      }`,
      warnings: [
        /\/heap: objects is deprecated; make heap the list of objects/,
        /handlerObject: handlerObject is deprecated; use handler instead/,
        /objects of type ConsoleLogSink have no effect/,
      ],
      text: /^GET kept it's\nhere$/,
    },
    {
      id: 'capture-filter',
      route: {
        baseURI: echo,
        handler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'CaptureFilter',
                config: { file: '/tmp/gateway.log', captureEntity: true, format: 'x', charset: 'x' },
              },
            ],
            handler: 'ReverseProxyHandler',
          },
        },
      },
      warnings: [
        /CaptureFilter is deprecated; use the decorator capture/,
        /file has no effect: captured messages are in the log/,
      ],
      text: /capture-filter/,
    },
    {
      id: 'lists-in-find',
      route: {
        handler: {
          type: 'DispatchHandler',
          config: {
            bindings: [
              { condition: "${matches(request.headers['X-Deny'], 'yes')}", handler: text('denied') },
              { condition: "${find(request.cookies['none'], 'x')}", handler: text('wrong') },
              { handler: text('passed') },
            ],
          },
        },
      },
      warnings: [],
      request: { headers: { 'X-Deny': ['no', 'yes'] } },
      text: /^denied$/,
    },
  ]
}
