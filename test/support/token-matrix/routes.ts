// Every object that judges tokens, in routes of one gateway, and how a token gets to it.
import type { JsonObject } from '#json'

const STATIC = (entity = 'admitted') => ({ type: 'StaticResponseHandler', config: { status: 200, entity } })

/** Addresses and keys that the routes need. */
interface Addresses {
  readonly server: string
  readonly accessManager: string
  readonly agent: string
  readonly thumbprint: string
}

const chain = (filters: readonly object[], entity?: string) => ({
  type: 'Chain',
  config: { filters, handler: STATIC(entity) },
})

/** A route for a path, with its heap. */
function route(path: string, handler: object, heap: readonly object[] = []): object {
  return { name: path, condition: `\${find(request.uri.path, '^/${path}(/|$)')}`, heap, handler }
}

const resourceServer = (accessTokenResolver: object | string) => ({
  type: 'OAuth2ResourceServerFilter',
  config: { scopes: [], requireHttps: false, accessTokenResolver },
})

/** Files of routes by name. */
export function routesAt({ server, accessManager, agent, thumbprint }: Addresses): Record<string, object> {
  const keys = { name: 'keys', type: 'JwkSetSecretStore', config: { jwkUrl: `${server}/jwks` } }
  const secrets = {
    name: 'secrets',
    type: 'Base64EncodedSecretStore',
    config: { secrets: { 'agent.password': btoa('password'), 'uma.secret': btoa('secret') } },
  }
  const wellKnownEndpoint = `${server}/.well-known/openid-configuration`
  const signed = { verificationSecretId: 'token.key', secretsProvider: 'keys' }
  const stateless = {
    type: 'StatelessAccessTokenResolver',
    config: { issuer: server, audience: 'shop', tokenTypes: ['at+jwt', 'JWT'], ...signed },
  }
  const script = (source: string) => ({ type: 'application/javascript', source })
  const login = (path: string, fields: JsonObject, entity?: string): object =>
    route(
      path,
      chain(
        [
          {
            type: 'AuthorizationCodeOAuth2ClientFilter',
            config: {
              clientEndpoint: `/${path}/oidc`,
              requireHttps: false,
              registrations: ['client'],
              failureHandler: { type: 'StaticResponseHandler', config: { status: 403 } },
            },
          },
        ],
        entity,
      ),
      [
        { name: 'server', type: 'Issuer', config: { wellKnownEndpoint } },
        {
          name: 'client',
          type: 'ClientRegistration',
          config: { clientId: 'shop', issuer: 'server', scopes: ['openid', 'profile'], ...fields },
        },
      ],
    )
  const info = '${attributes.openid.user_info.sub}'
  return {
    stateless: route('stateless', chain([resourceServer(stateless)]), [keys]),
    issuer: route(
      'issuer',
      chain([resourceServer({ type: 'IssuerAccessTokenResolver', config: { resolvers: { [server]: stateless } } })]),
      [keys],
    ),
    introspection: route(
      'introspection',
      chain([
        resourceServer({
          type: 'TokenIntrospectionAccessTokenResolver',
          config: {
            endpoint: `${server}/introspect`,
            providerHandler: 'ClientHandler',
            issuer: server,
            audience: 'shop',
          },
        }),
      ]),
    ),
    tokeninfo: route(
      'tokeninfo',
      chain([
        resourceServer({
          type: 'OpenAmAccessTokenResolver',
          config: { endpoint: `${server}/tokeninfo`, providerHandler: 'ClientHandler' },
        }),
      ]),
    ),
    script: route(
      'script',
      chain([
        resourceServer({
          type: 'ScriptableAccessTokenResolver',
          config: {
            ...script(
              `const uri = '${server}/introspect?access_token=' + token
               return (await http.send(new Request({ uri }))).entity.json()`,
            ),
            clientHandler: 'ClientHandler',
          },
        }),
      ]),
    ),
    verify: route(
      'verify',
      {
        type: 'ScriptableHandler',
        config: {
          ...script(
            `const key = await secrets.get('token.key')
           const token = await key.verifyJwt(request.headers.get('token'))
           return new Response({ status: token === null ? 403 : 200 })`,
          ),
          secretsProvider: 'keys',
        },
      },
      [keys],
    ),
    dpop: route(
      'dpop',
      chain([
        resourceServer({
          type: 'DpopAccessTokenResolver',
          config: {
            proofMaxAge: '10 minutes',
            delegate: {
              type: 'ScriptableAccessTokenResolver',
              config: script(`return { cnf: { jkt: '${thumbprint}' } }`),
            },
          },
        }),
      ]),
    ),
    'id-token': route(
      'id-token',
      chain([
        {
          type: 'IdTokenValidationFilter',
          config: { idToken: "${request.headers['token'][0]}", audience: 'shop', issuer: server, ...signed },
        },
      ]),
      [keys],
    ),
    jwt: route(
      'jwt',
      chain([{ type: 'JwtValidationFilter', config: { jwt: "${request.headers['token'][0]}", ...signed } }]),
      [keys],
    ),
    login: login('login', {}, info),
    jarm: login('jarm', { responseMode: 'query.jwt' }),
    agent: route(
      'agent',
      chain([
        {
          type: 'CrossDomainSingleSignOnFilter',
          config: { amService: 'am', redirectEndpoint: '/agent/redirect', ...signed },
        },
      ]),
      [
        secrets,
        keys,
        {
          name: 'am',
          type: 'AmService',
          config: {
            url: accessManager,
            agent: { username: agent, passwordSecretId: 'agent.password' },
            secretsProvider: 'secrets',
            notifications: { enabled: false },
          },
        },
      ],
    ),
    uma: route(
      'uma',
      chain([
        {
          type: 'UmaFilter',
          config: {
            umaService: 'uma',
            protectionApiHandler: 'ClientHandler',
            ticketRate: { numberOfRequests: 100_000, duration: '1 second' },
          },
        },
      ]),
      [
        {
          name: 'uma',
          type: 'UmaService',
          config: {
            protectionApiHandler: 'ClientHandler',
            wellKnownEndpoint: `${server}/uma/.well-known/uma2-configuration`,
            resources: [{ pattern: '/.*', actions: [{ scopes: ['view'], condition: '${true}' }] }],
          },
        },
      ],
    ),
  }
}
