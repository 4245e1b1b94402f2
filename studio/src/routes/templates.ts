/** A route to start from. */
export interface Template {
  readonly name: string
  readonly description: string
  route(id: string): object
}

/** Parts of a template beside the name and condition that every route has. */
interface Parts {
  readonly heap?: readonly object[]
  readonly filters?: readonly object[]
  readonly handler: object
}

const UPSTREAM = { type: 'ReverseProxyHandler', config: {} }
const SECRETS = {
  name: 'Secrets',
  type: 'FileSystemSecretStore',
  config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
}

function condition(id: string): string {
  return `\${find(request.uri.path, '^/${id.replaceAll('.', '\\\\.')}')}`
}

/** A route that answers itself. */
function answering(id: string, config: object): object {
  return { name: id, condition: condition(id), handler: { type: 'StaticResponseHandler', config } }
}

/** A route in front of an application. */
function proxying(id: string, { heap, filters, handler }: Parts): object {
  return {
    name: id,
    baseURI: 'http://localhost:8081',
    condition: condition(id),
    ...(heap === undefined ? {} : { heap }),
    handler: filters === undefined ? handler : chain(filters, handler),
  }
}

function chain(filters: readonly object[], handler: object | string): object {
  return { type: 'Chain', config: { filters, handler } }
}

/** Lets requests with an access token pass that a resolver accepts. */
function resourceServer(accessTokenResolver: object): object {
  return { type: 'OAuth2ResourceServerFilter', config: { scopes: ['api'], requireHttps: false, accessTokenResolver } }
}

const STATELESS = {
  type: 'StatelessAccessTokenResolver',
  config: {
    issuer: 'https://issuer.example.com',
    secretsProvider: { type: 'JwkSetSecretStore', config: { jwkUrl: 'https://issuer.example.com/jwks.json' } },
    verificationSecretId: 'any.value.in.regex.format',
  },
}

const INTROSPECTION = {
  type: 'TokenIntrospectionAccessTokenResolver',
  config: {
    endpoint: 'https://issuer.example.com/introspect',
    providerHandler: chain(
      [
        {
          type: 'HttpBasicAuthenticationClientFilter',
          config: { username: 'gateway', passwordSecretId: 'introspection.password', secretsProvider: 'Secrets' },
        },
      ],
      'ForgeRockClientHandler',
    ),
  },
}

const PROVIDER = {
  name: 'Provider',
  type: 'ClientRegistration',
  config: {
    clientId: 'gateway',
    clientSecretId: 'provider.secret',
    secretsProvider: 'Secrets',
    issuer: {
      type: 'Issuer',
      config: { wellKnownEndpoint: 'https://provider.example.com/.well-known/openid-configuration' },
    },
    scopes: ['openid', 'profile'],
  },
}

const ACCESS_MANAGER = {
  name: 'AmService',
  type: 'AmService',
  config: {
    url: 'https://am.example.com/am',
    agent: { username: 'gateway', passwordSecretId: 'agent.password' },
    secretsProvider: 'Secrets',
  },
}

function login(id: string): object {
  return {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: {
      clientEndpoint: `/${id}/login`,
      registrations: ['Provider'],
      failureHandler: { type: 'StaticResponseHandler', config: { status: 500, entity: 'The login failed.' } },
      requireHttps: false,
    },
  }
}

const SINGLE_SIGN_ON = [
  { type: 'SingleSignOnFilter', config: { amService: 'AmService' } },
  {
    type: 'PolicyEnforcementFilter',
    config: { amService: 'AmService', application: 'gateway', ssoTokenSubject: '${contexts.ssoToken.value}' },
  },
]

const RATE_LIMIT = {
  type: 'ThrottlingFilter',
  config: {
    requestGroupingPolicy: '${contexts.client.remoteAddress}',
    rate: { numberOfRequests: 60, duration: '1 minute' },
  },
}

export const BLANK: Template = {
  name: 'Blank',
  description: 'An answer 404, to be replaced.',
  route: (id) => answering(id, { status: 404 }),
}

/** The text of a new route. */
export function textOfTemplate(template: Template, id: string): string {
  return `${JSON.stringify(template.route(id), null, 2)}\n`
}

/** The gallery of the dialog "New route". */
export const TEMPLATES: readonly Template[] = [
  BLANK,
  {
    name: 'Proxy',
    description: 'Forwards requests to an application.',
    route: (id) => proxying(id, { handler: UPSTREAM }),
  },
  {
    name: 'Static answer',
    description: 'Responds with a fixed status and text.',
    route: (id) =>
      answering(id, {
        status: 200,
        headers: { 'Content-Type': ['text/plain; charset=UTF-8'] },
        entity: `This is ${id}.`,
      }),
  },
  {
    name: 'API protected by JWT',
    description: 'Lets requests with a signed access token pass.',
    route: (id) => proxying(id, { filters: [resourceServer(STATELESS)], handler: UPSTREAM }),
  },
  {
    name: 'API protected by introspection',
    description: 'Asks an authorization server about each access token.',
    route: (id) => proxying(id, { heap: [SECRETS], filters: [resourceServer(INTROSPECTION)], handler: UPSTREAM }),
  },
  {
    name: 'OpenID Connect login',
    description: 'Users log in at a provider before they see the application.',
    route: (id) => proxying(id, { heap: [SECRETS, PROVIDER], filters: [login(id)], handler: UPSTREAM }),
  },
  {
    name: 'Single sign-on with policies',
    description: 'Users log in at an access manager, whose policies decide.',
    route: (id) => proxying(id, { heap: [SECRETS, ACCESS_MANAGER], filters: SINGLE_SIGN_ON, handler: UPSTREAM }),
  },
  {
    name: 'Rate-limited API',
    description: 'Admits a number of requests in each period and client address.',
    route: (id) => proxying(id, { filters: [RATE_LIMIT], handler: UPSTREAM }),
  },
  {
    name: 'WebSocket',
    description: 'Forwards requests and WebSocket connections to an application.',
    route: (id) => proxying(id, { handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } } }),
  },
]
