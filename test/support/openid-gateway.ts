// A gateway that logs users in at npm `oidc-provider`.
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserLike, Page } from './browser-like.ts'
import { RunningGateway } from './gateway.ts'
import { OidcProvider } from './oidc-provider.ts'

/** Differences from the default case. */
export interface Parts {
  readonly client?: object
  /** The redirect URI of the client, below the client endpoint. */
  readonly callback?: string
  readonly registration?: object
  readonly filter?: object
  readonly provider?: object
  readonly issuer?: object
  readonly ttl?: object
  readonly units?: number
  readonly entity?: string
  /** Session manager of the route. */
  readonly session?: object
  /** Further settings of the provider, and claims of its users. */
  readonly configuration?: object
  readonly account?: object
  /** Further files of the instance. */
  readonly files?: Readonly<Record<string, string>>
  /** The handler behind the filter, instead of a page with `entity`. */
  readonly handler?: object
}

const ENTITY =
  '${request.uri.path} ${contexts.oauth2Info.id_token_claims.sub} ${attributes.openid.user_info.name} ${contexts.oauth2Info.access_token}'

/** Each filter has a name of its own: gateways are used again, and the log limits repeated entries by the name of the object. */
let filters = 0

let keys: { readonly keys: readonly object[] } | undefined

/** Signing keys of the provider, generated once: an RSA key takes a tenth of a second. */
function providerKeys() {
  keys ??= {
    keys: [
      {
        ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
        use: 'sig',
        alg: 'ES256',
      },
      {
        ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
        use: 'sig',
        alg: 'RS256',
      },
    ],
  }
  return keys
}

/** A gateway whose route /app logs users in at a provider. The route is added last, since it needs the ports of both. */
export async function openIdGateway({
  client = {},
  callback = 'callback',
  registration = {},
  filter = {},
  provider: more = {},
  issuer = {},
  ttl = {},
  units = 1,
  entity = ENTITY,
  session,
  configuration = {},
  account = {},
  files = {},
  handler,
}: Parts = {}) {
  const gateway = await RunningGateway.reuse({
    units,
    files: { ...files, 'secrets/client.secret': Buffer.from('a secret of the client').toString('base64') },
  })
  const provider = await OidcProvider.start(
    () =>
      ({
        clients: [
          {
            client_id: 'gateway',
            client_secret: 'a secret of the client',
            redirect_uris: [`${gateway.url}/app/oidc/${callback}`],
            grant_types: ['authorization_code', 'refresh_token'],
            post_logout_redirect_uris: [`${gateway.url}/goodbye`],
            ...client,
          },
        ],
        cookies: { keys: ['a key of the test'] },
        claims: { openid: ['sub'], profile: ['name'] },
        findAccount: (_context: unknown, id: string) => ({
          accountId: id,
          claims: async () => ({ sub: id, name: `${id} of test`, ...account }),
        }),
        issueRefreshToken: async () => true,
        rotateRefreshToken: true,
        features: {
          devInteractions: { enabled: true },
          revocation: { enabled: true },
          rpInitiatedLogout: { enabled: true },
          pushedAuthorizationRequests: { enabled: false },
          ...more,
        },
        ttl: { AccessToken: 3600, ...ttl },
        ...configuration,
        jwks: providerKeys(),
        // biome-ignore lint/suspicious/noExplicitAny: the configuration of the provider is its own world
      }) as any,
  )
  await gateway.deploy('app', {
    name: 'app',
    condition: "${find(request.uri.path, '^/app')}",
    ...(session !== undefined && { session }),
    heap: [
      { name: 'secrets', type: 'FileSystemSecretStore', config: { directory: '&{gateway.instance.dir}/secrets' } },
      {
        name: 'server',
        type: 'Issuer',
        config: { wellKnownEndpoint: `${provider.url}/.well-known/openid-configuration`, ...issuer },
      },
      {
        name: 'client',
        type: 'ClientRegistration',
        config: {
          clientId: 'gateway',
          issuer: 'server',
          scopes: ['openid', 'profile', 'offline_access'],
          clientSecretId: 'client.secret',
          secretsProvider: 'secrets',
          ...registration,
        },
      },
    ],
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            name: `login-${++filters}`,
            type: 'AuthorizationCodeOAuth2ClientFilter',
            config: { clientEndpoint: '/app/oidc', requireHttps: false, registrations: ['client'], ...filter },
          },
        ],
        handler: handler ?? {
          type: 'StaticResponseHandler',
          config: {
            status: 200,
            headers: { 'Content-Type': ['text/plain'] },
            entity,
          },
        },
      },
    },
  })
  return {
    gateway,
    provider,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

/** Goes through the pages of the provider as a user does. */
export async function logIn(browser: BrowserLike, url: string, user = 'demo'): Promise<Page> {
  const loginPage = await browser.open(url)
  const consentPage = await browser.submit(loginPage, { login: user, password: 'x' })
  return browser.submit(consentPage)
}

/** A response instead of the provider's. */
export type Fault = readonly [status: number, type: string, text: string]

/** Responds at a path instead of the provider, as proxies in front of it do; counts the requests. */
export function intercept(provider: OidcProvider, path: string, [status, type, text]: Fault): { requests: number } {
  const count = { requests: 0 }
  provider.intercept = (request, response) => {
    if (request.url?.split('?')[0] !== path) return false
    count.requests += 1
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': text.length }).end(text)
    return true
  }
  return count
}

/** Reloads a page until it is as expected. */
export async function until(browser: BrowserLike, url: string, isExpected: (page: Page) => boolean): Promise<Page> {
  const end = performance.now() + 20_000
  for (;;) {
    const page = await browser.ask(url)
    if (isExpected(page) || performance.now() > end) return page
    await pause(50)
  }
}

/** The response of a proxy while its server is down. */
export const HTML = '<html><h1>Service Unavailable</h1></html>'
