// Configuration of OpenAM for the flows: a sub-realm, users, agents, policies, OAuth 2.0 providers and clients.
import type { Administrator } from './administrator.ts'
import { policiesOf } from './policies.ts'

/** Addresses of the gateway as browsers and policies name them. */
export interface Addresses {
  /** In the domain of OpenAM's cookie. */
  readonly app: string
  /** Over TLS, in another domain. */
  readonly shop: string
  /** The application behind the gateway. */
  readonly upstream: string
}

export const AGENT = { name: 'gateway', password: 'a password of the agent: pässword' } as const
/** Not allowed to introspect; Basic authentication has no agreed encoding beyond ASCII. */
export const ASCII_AGENT = { name: 'gateway-ascii', password: 'a-password-of-the-agent' } as const
export const USER = { name: 'demo', password: 'changeit' } as const
export const CLIENT = { id: 'web', secret: 'a-secret-of-the-client-that-is-long-enough' } as const
/** OpenAM signs its ID tokens by a secret that is too short for HS256. */
export const SHORT_CLIENT = { id: 'short', secret: 'too-short' } as const
/** A secret that form encoding changes. */
export const SPECIAL_CLIENT = { id: 'special', secret: 'a+secret/with=characters&that%change' } as const
export const POLICY_SET = 'interop'
/** Routes that log users in by OpenID Connect. */
export const OPENID_ROUTES = ['openid', 'short', 'special'] as const
/** A service (authentication chain) of level 5. */
export const STRONG = 'strongService'

export async function setUp(admin: Administrator, at: Addresses): Promise<void> {
  for (const name of ['alpha', 'client-based'])
    await admin.call('POST', '/', 'global-config/realms?_action=create', {
      name,
      parentPath: '/',
      active: true,
      aliases: [],
    })
  await useClientBasedSessions(admin, '/client-based', at)
  for (const realm of ['/', '/alpha']) {
    await makeUsers(admin, realm)
    await makeAgents(admin, realm, at)
    await makeStrongService(admin, realm)
    await makePolicies(admin, realm, at)
    await makeOAuth2(admin, realm, at)
    await admin.call('POST', realm, 'realm-config/services/validation?_action=create', {
      validGotoDestinations: [at.app, at.shop].flatMap((origin) => [`${origin}/*`, `${origin}/*?*`]),
    })
    await admin.call('POST', realm, 'realm-config/services/amSessionPropertyWhitelist?_action=create', {
      sessionPropertyWhitelist: ['AuthLevel', 'Organization'],
    })
  }
}

async function useClientBasedSessions(admin: Administrator, realm: string, at: Addresses): Promise<void> {
  const path = 'realm-config/authentication'
  const { general } = (await admin.call('GET', realm, path)) as { general: object }
  const changed = { general: { ...general, statelessSessionsEnabled: true } }
  await admin.call('PUT', realm, path, changed, 'protocol=1.0,resource=1.0')
  await makeAgents(admin, realm, at)
}

/** Both realms keep users in one directory: a user of one exists in the other. */
async function makeUsers(admin: Administrator, realm: string): Promise<void> {
  if (realm !== '/') return
  const user = { username: 'other', userpassword: USER.password, mail: 'other@example.test', sn: 'Other' }
  await admin.call('POST', realm, 'users?_action=create', user)
}

async function makeAgents(admin: Administrator, realm: string, { app, shop }: Addresses): Promise<void> {
  for (const [username, url, password] of [
    [AGENT.name, app, AGENT.password],
    [ASCII_AGENT.name, app, ASCII_AGENT.password],
    ['gateway-shop', shop, AGENT.password],
  ])
    await admin.call('POST', realm, 'agents/?_action=create', {
      username,
      agenttype: ['WebAgent'],
      userpassword: [password],
      agenturl: [`${url}/`],
      serverurl: [admin.url],
    })
}

async function makeStrongService(admin: Administrator, realm: string): Promise<void> {
  const path = 'realm-config/authentication'
  await admin.call('POST', realm, `${path}/modules/datastore?_action=create`, { _id: 'Strong', authenticationLevel: 5 })
  await admin.call('POST', realm, `${path}/chains?_action=create`, {
    _id: STRONG,
    authChainConfiguration: [{ module: 'Strong', criteria: 'REQUIRED', options: {} }],
  })
}

async function makePolicies(admin: Administrator, realm: string, at: Addresses): Promise<void> {
  const { result } = (await admin.call('GET', realm, 'resourcetypes?_queryFilter=true')) as {
    result: { uuid: string; name: string }[]
  }
  const resourceTypeUuid = result.find(({ name }) => name === 'URL')?.uuid
  await admin.call(
    'POST',
    realm,
    'applications?_action=create',
    {
      name: POLICY_SET,
      applicationType: 'iPlanetAMWebAgentService',
      entitlementCombiner: 'DenyOverride',
      resourceTypeUuids: [resourceTypeUuid],
      subjects: ['AuthenticatedUsers', 'Identity', 'AND', 'OR', 'NOT'],
      conditions: ['AuthLevel', 'AuthenticateToService', 'AuthScheme', 'IPv4', 'SimpleTime', 'AND', 'OR', 'NOT'],
    },
    'protocol=2.0,resource=2.1',
  )
  for (const policy of policiesOf(at))
    await admin.call(
      'POST',
      realm,
      'policies?_action=create',
      { ...policy, resourceTypeUuid },
      'protocol=2.0,resource=2.1',
    )
}

/** Tokens of the root realm are opaque, those of the sub-realm are signed. */
async function makeOAuth2(admin: Administrator, realm: string, { app }: Addresses): Promise<void> {
  const isSigned = realm !== '/'
  await admin.call('POST', realm, 'realm-config/services/oauth-oidc?_action=create', {
    advancedOAuth2Config: {
      responseTypeClasses: [
        'code|org.forgerock.oauth2.core.AuthorizationCodeResponseTypeHandler',
        'token|org.forgerock.oauth2.core.TokenResponseTypeHandler',
        'id_token|org.forgerock.openidconnect.IdTokenResponseTypeHandler',
      ],
      supportedScopes: ['openid', 'profile', 'mail'],
      clientsCanSkipConsent: true,
      ...(isSigned && { tokenSigningAlgorithm: 'RS256' }),
    },
    coreOAuth2Config: { statelessTokensEnabled: isSigned },
  })
  const clients = 'realm-config/agents/OAuth2Client'
  const template = (await admin.call('POST', realm, `${clients}?_action=template`)) as object
  const provider = 'com.forgerock.openam.oauth2provider'
  for (const { id, secret } of [CLIENT, { ...CLIENT, id: 'resource-server' }, SHORT_CLIENT, SPECIAL_CLIENT])
    await admin.call('PUT', realm, `${clients}/${id}`, {
      ...template,
      userpassword: secret,
      // OpenID Connect: OpenAM accepts only the method of the client.
      ...(id === SPECIAL_CLIENT.id && { [`${provider}.tokenEndPointAuthMethod`]: 'client_secret_post' }),
      isConsentImplied: true,
      [`${provider}.scopes`]: ['[0]=openid', '[1]=profile', '[2]=mail'],
      [`${provider}.redirectionURIs`]: OPENID_ROUTES.map((name, at) => `[${at}]=${app}/${name}/oidc/callback`),
    })
}
