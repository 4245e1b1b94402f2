// Route files of the gateway, one for each topic, below the path of their name.
import type { JsonObject } from '#json'
import { type Addresses, AGENT, ASCII_AGENT, CLIENT, POLICY_SET, SHORT_CLIENT, SPECIAL_CLIENT } from './set-up.ts'

export interface Servers extends Addresses {
  readonly openam: string
  /** The same server through a relay without `/notifications`. */
  readonly withoutNotifications: string
}

const SECRETS = {
  name: 'secrets',
  type: 'FileSystemSecretStore',
  config: { directory: '&{gateway.instance.dir}/secrets', format: 'PLAIN' },
}

/** Files below `secrets`. */
export const SECRET_FILES = {
  'secrets/agent.password': AGENT.password,
  'secrets/ascii.password': ASCII_AGENT.password,
  'secrets/wrong.password': 'not the password',
  'secrets/client.secret': CLIENT.secret,
  'secrets/short.secret': SHORT_CLIENT.secret,
  'secrets/special.secret': SPECIAL_CLIENT.secret,
}

/** Access managers that routes refer to: one agent session and one notification socket each. */
export function accessManagers({ openam, withoutNotifications }: Servers): JsonObject[] {
  return [
    SECRETS,
    accessManager('openam', openam),
    accessManager('openam-alpha', openam, { realm: '/alpha' }),
    accessManager('openam-shared', openam, { sharedRealms: ['/alpha'] }),
    accessManager('openam-properties', openam, { sessionProperties: ['AuthLevel'] }),
    accessManager('openam-shop', openam, { agent: { username: 'gateway-shop', passwordSecretId: 'agent.password' } }),
    accessManager('openam-client-based', openam, { realm: '/client-based' }),
    accessManager('openam-old', withoutNotifications),
    accessManager('openam-wrong', openam, {
      agent: { username: AGENT.name, passwordSecretId: 'wrong.password' },
      notifications: { enabled: false },
    }),
  ]
}

export function routes(servers: Servers): Record<string, JsonObject> {
  const { upstream } = servers
  return {
    goodbye: route('goodbye', upstream, []),
    sso: route('sso', upstream, [singleSignOn('openam', logoutFields('sso')), SHOW_USER]),
    service: route('service', upstream, [
      singleSignOn('openam', { authenticationService: 'strongService' }),
      SHOW_USER,
    ]),
    alpha: route('alpha', upstream, [singleSignOn('openam-alpha'), SHOW_USER]),
    shared: route('shared', upstream, [singleSignOn('openam-shared'), SHOW_USER]),
    properties: route('properties', upstream, [singleSignOn('openam-properties'), SHOW_USER]),
    'client-based': route('client-based', upstream, [
      singleSignOn('openam-client-based', logoutFields('client-based')),
    ]),
    old: route('old', upstream, [singleSignOn('openam-old'), SHOW_USER]),
    wrong: route('wrong', upstream, [policies('openam-wrong')]),
    policies: route('policies', upstream, [singleSignOn('openam'), policies('openam', ORIGINAL_URI)]),
    rewritten: route('rewritten', upstream, [singleSignOn('openam'), policies('openam')]),
    'alpha-policies': route('alpha-policies', upstream, [policies('openam-alpha', ORIGINAL_URI)]),
    // The profile of an agent of OpenAM names `agent/cdsso-oauth2` as the path that tokens are posted to.
    shop: route('shop', upstream, [crossDomain(), SHOW_USER], { condition: pathBelow('(?:shop|agent)') }),
    openid: openId(servers, 'openid', { clientId: CLIENT.id, clientSecretId: 'client.secret' }),
    short: openId(servers, 'short', { clientId: SHORT_CLIENT.id, clientSecretId: 'short.secret' }),
    special: openId(servers, 'special', {
      clientId: SPECIAL_CLIENT.id,
      clientSecretId: 'special.secret',
      // OpenAM does not decode form-encoded Basic credentials.
      tokenEndpointAuthMethod: 'client_secret_post',
    }),
    ...tokenRoutes(servers),
  }
}

function tokenRoutes({ openam, upstream }: Servers): Record<string, JsonObject> {
  const infoEndpoint = { endpoint: `${openam}/oauth2/tokeninfo` }
  const resolvers: Record<string, JsonObject> = {
    'token-info': { type: 'OpenAmAccessTokenResolver', config: infoEndpoint },
    'token-info-alpha': { type: 'OpenAmAccessTokenResolver', config: { amService: 'openam-alpha' } },
    introspection: introspection('openam', CLIENT.id),
    'introspection-agent': introspection('openam', ASCII_AGENT.name, 'ascii.password'),
    'introspection-alpha': introspection('openam-alpha', CLIENT.id),
    'introspection-stranger': introspection('openam', 'resource-server'),
    signature: {
      type: 'StatelessAccessTokenResolver',
      config: {
        issuer: `${openam}/oauth2/realms/root/realms/alpha`,
        secretsProvider: {
          type: 'JwkSetSecretStore',
          config: { jwkUrl: `${openam}/oauth2/realms/root/realms/alpha/connect/jwk_uri` },
        },
        verificationSecretId: 'any.key',
      },
    },
  }
  return Object.fromEntries(
    Object.entries(resolvers).map(([name, accessTokenResolver]) => [
      name,
      route(name, upstream, [
        {
          type: 'OAuth2ResourceServerFilter',
          config: {
            scopes: ['mail'],
            requireHttps: false,
            accessTokenResolver,
            cache: { enabled: true, maxTimeout: '3 seconds' },
          },
        },
      ]),
    ]),
  )
}

function introspection(amService: string, username: string, passwordSecretId = 'client.secret'): JsonObject {
  const authentication = {
    type: 'HttpBasicAuthenticationClientFilter',
    config: { username, passwordSecretId, secretsProvider: 'secrets' },
  }
  return {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: {
      amService,
      providerHandler: { type: 'Chain', config: { filters: [authentication], handler: 'ForgeRockClientHandler' } },
    },
  }
}

function accessManager(name: string, url: string, fields: JsonObject = {}): JsonObject {
  return {
    name,
    type: 'AmService',
    config: {
      url,
      agent: { username: AGENT.name, passwordSecretId: 'agent.password' },
      secretsProvider: 'secrets',
      sessionCache: { enabled: true },
      ...fields,
    },
  }
}

function pathBelow(name: string): string {
  return `\${find(request.uri.path, '^/${name}(/|$)')}`
}

function route(name: string, baseURI: string, filters: JsonObject[], fields: JsonObject = {}): JsonObject {
  return {
    name,
    condition: pathBelow(name),
    baseURI,
    handler: { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } },
    ...fields,
  }
}

/** The application gets the session in headers. */
const SHOW_USER: JsonObject = {
  type: 'HeaderFilter',
  config: {
    messageType: 'REQUEST',
    replace: {
      'X-User': ['${contexts.ssoToken.info.username}'],
      'X-Realm': ['${contexts.ssoToken.info.realm}'],
      'X-Auth-Level': ["${contexts.ssoToken.info['AuthLevel']}"],
    },
  },
}

const ORIGINAL_URI: JsonObject = {
  resourceUriProvider: { type: 'RequestResourceUriProvider', config: { useOriginalUri: true } },
}

function singleSignOn(amService: string, fields: JsonObject = {}): JsonObject {
  return { type: 'SingleSignOnFilter', config: { amService, ...fields } }
}

function policies(amService: string, fields: JsonObject = {}): JsonObject {
  return {
    type: 'PolicyEnforcementFilter',
    config: {
      amService,
      application: POLICY_SET,
      ssoTokenSubject: "${request.cookies['iPlanetDirectoryPro'][0].value}",
      cache: { enabled: true },
      ...fields,
    },
  }
}

function crossDomain(): JsonObject {
  return {
    type: 'CrossDomainSingleSignOnFilter',
    config: {
      amService: 'openam-shop',
      redirectEndpoint: '/agent/cdsso-oauth2',
      ...logoutFields('shop'),
    },
  }
}

function logoutFields(name: string): JsonObject {
  return { logoutExpression: `\${request.uri.path == '/${name}/logout'}`, defaultLogoutLandingPage: '/goodbye' }
}

function openId({ openam, upstream }: Servers, name: string, registration: JsonObject): JsonObject {
  const issuer = { wellKnownEndpoint: `${openam}/oauth2/.well-known/openid-configuration` }
  const client = {
    issuer: 'issuer',
    scopes: ['openid', 'profile'],
    secretsProvider: 'secrets',
    ...registration,
  }
  const login = {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: { clientEndpoint: `/${name}/oidc`, registrations: ['client'], requireHttps: false },
  }
  const show = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', replace: { 'X-User': ['${contexts.oauth2Info.id_token_claims.sub}'] } },
  }
  return route(name, upstream, [login, show], {
    heap: [
      { name: 'issuer', type: 'Issuer', config: issuer },
      { name: 'client', type: 'ClientRegistration', config: client },
    ],
  })
}
