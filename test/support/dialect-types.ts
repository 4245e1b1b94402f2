import { createCipheriv, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { DevelopmentAccessManager } from '#dev'
import type { DialectRoute } from './dialect-routes.ts'
import { Folder } from './folder.ts'
import { answerJson } from './introspection-server.ts'
import { httpUpstream } from './upstream.ts'

/** Property of a session with the password of its user. */
export const PASSWORD_PROPERTY = 'sunIdentityUserPassword'

const DES_KEY = Buffer.from('133457799BBCDFF1', 'hex')

/** Servers and files of the routes below. */
export interface TypePeers extends AsyncDisposable {
  /** Token endpoint at `/token`, Sideband API below `/sideband`. */
  readonly services: string
  /** A folder with records and keys. */
  readonly folder: string
}

/** Opens the servers and files of the routes below. */
export async function typePeers(): Promise<TypePeers> {
  const services = await httpUpstream(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    if (request.url?.startsWith('/sideband')) return answerJson(response, 200, { ...JSON.parse(text), state: 1 })
    if (request.url === '/http-basic-auth') {
      const { authorization = '' } = request.headers
      if (authorization === '') return void response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="a"' }).end()
      return void response.end(atob(authorization.slice('Basic '.length)))
    }
    const form = new URLSearchParams(text)
    const grant = form.get('grant_type')?.split(':').at(-1)
    const parts = [grant, form.get('username'), form.get('client_assertion')?.split('.').length]
    const token = parts.filter((part) => part !== null && part !== undefined).join('.')
    return answerJson(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3_600 })
  })
  const folder = new Folder({
    'people.csv': 'username,password\ndemo,open sesame\n',
    'signing.key': generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(PEM) as string,
    'server.key': generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export(PUBLIC_PEM) as string,
    'tracker.key': randomBytes(32).toString('base64'),
  })
  return {
    services: services.url,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]()
      await services[Symbol.asyncDispose]()
    },
  }
}

const PEM = { type: 'pkcs8', format: 'pem' } as const
const PUBLIC_PEM = { type: 'spki', format: 'pem' } as const

const text = (entity: string) => ({ type: 'StaticResponseHandler', config: { status: 200, entity } })
const proxy = { handler: 'ReverseProxyHandler' }
const chain = (filters: readonly object[], handler: object | string) => ({
  handler: { type: 'Chain', config: { filters, handler } },
})
const secrets = (values: Readonly<Record<string, string>>) => ({
  type: 'Base64EncodedSecretStore',
  config: { secrets: Object.fromEntries(Object.entries(values).map(([id, value]) => [id, btoa(value)])) },
})
/** Routes with one filter of a type that public files of other gateways have, in their shape. */
export function typeRoutes(
  { services, folder }: TypePeers,
  manager: DevelopmentAccessManager,
  echo: string,
): DialectRoute[] {
  const pem = { type: 'FileSystemSecretStore', config: { directory: folder, format: { type: 'PemPropertyFormat' } } }
  const amService = {
    type: 'AmService',
    config: {
      url: manager.url,
      agent: { username: 'ig_agent', passwordSecretId: 'agent' },
      secretsProvider: secrets({ agent: 'password' }),
      notifications: { enabled: false },
      sessionProperties: ['AMCtxId', PASSWORD_PROPERTY],
    },
  }
  const session = { headers: { Cookie: `iPlanetDirectoryPro=${manager.login('demo')}` } }
  const sso = { type: 'SingleSignOnFilter', config: { amService } }
  const people = (target: object) => ({
    type: 'FileAttributesFilter',
    config: { file: `${folder}/people.csv`, key: 'username', value: 'demo', ...target },
  })
  return [
    ...messageRoutes(people({ target: '${attributes.credentials}' }), services, echo),
    ...managerRoutes(),
    ...tokenRoutes(),
  ]

  function managerRoutes(): DialectRoute[] {
    const captured = manager.login('demo')
    manager.setSessionProperty(captured, PASSWORD_PROPERTY, desText('captured'))
    const tracker = {
      type: 'FileSystemSecretStore',
      config: {
        directory: folder,
        format: { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } },
      },
    }
    return [
      {
        id: 'session-info',
        route: chain([{ type: 'SessionInfoFilter', config: { amService } }], text('${contexts.amSession.username}')),
        request: session,
        text: /^demo$/,
      },
      {
        id: 'user-profile',
        route: chain(
          [
            sso,
            {
              type: 'UserProfileFilter',
              config: { amService, ssoToken: '${contexts.ssoToken.value}', profileAttributes: ['uid'] },
            },
          ],
          text('${contexts.userProfile.username}'),
        ),
        warnings: [/use userProfileService with amService/],
        request: session,
        text: /^demo$/,
      },
      {
        id: 'captured-password',
        route: chain(
          [
            {
              type: 'CapturedUserPasswordFilter',
              config: {
                amService,
                keySecretId: 'des',
                keyType: 'DES',
                secretsProvider: secrets({ des: DES_KEY.toString('base64') }),
              },
            },
          ],
          text('${contexts.capturedPassword.value}'),
        ),
        request: { headers: { Cookie: `iPlanetDirectoryPro=${captured}` } },
        text: /^captured$/,
      },
      {
        id: 'token-transformation',
        route: chain(
          [
            {
              type: 'TokenTransformationFilter',
              config: { amService, idToken: "${request.headers['X-Token'][0]}", instance: 'oidc-to-saml' },
            },
          ],
          text('${contexts.sts.issuedToken}'),
        ),
        request: { headers: { 'X-Token': `${part({ alg: 'HS256' })}.${part({ sub: 'demo' })}.c2lnbmF0dXJl` } },
        text: /^<saml:Assertion .*demo/,
      },
      {
        id: 'idle-timeout',
        route: chain(
          [
            {
              type: 'AmSessionIdleTimeoutFilter',
              config: { amService, idleTimeout: '1 hour', encryptionSecretId: 'tracker.key', secretsProvider: tracker },
            },
          ],
          text('used'),
        ),
        request: session,
        cookie: /^x-ig-activity-tracker=ey/,
        text: /^used$/,
      },
      {
        id: 'fragment',
        route: {
          condition: "${find(request.uri.path, '^/fragment')}",
          ...chain(
            [{ type: 'FragmentFilter', config: { fragmentCaptureEndpoint: '/fragment/capture' } }, sso],
            text(''),
          ),
        },
        text: /fragment\/capture/,
        cookie: /^ig-fragment=/,
      },
      {
        id: 'data-preservation',
        route: chain([{ type: 'DataPreservationFilter' }, sso], text('')),
        request: { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=1' },
        status: 302,
        location: /goto=.*data-preservation%3F_pdp%3D/,
      },
    ].map((each) => ({ warnings: [], ...each }))
  }

  function tokenRoutes(): DialectRoute[] {
    const tokenEndpoint = `${services}/token`
    const bearer = "${request.headers['Authorization'][0]}"
    const assertion = {
      type: 'EncryptedPrivateKeyJwtClientAuthenticationFilter',
      config: {
        clientId: 'gateway',
        tokenEndpoint,
        secretsProvider: pem,
        signingSecretId: 'signing.key',
        signingAlgorithm: 'ES256',
        encryptionSecretId: 'server.key',
        encryptionAlgorithm: 'RSA-OAEP-256',
        encryptionMethod: 'A256GCM',
      },
    }
    return [
      {
        id: 'resource-owner',
        route: chain(
          [
            {
              type: 'ResourceOwnerOAuth2ClientFilter',
              config: {
                tokenEndpoint,
                username: 'demo',
                passwordSecretId: 'word',
                secretsProvider: secrets({ word: 'open sesame' }),
                endpointHandler: 'ClientHandler',
              },
            },
          ],
          text(bearer),
        ),
        text: /^Bearer password\.demo$/,
      },
      {
        id: 'encrypted-assertion',
        route: chain(
          [
            {
              type: 'ClientCredentialsOAuth2ClientFilter',
              config: { tokenEndpoint, endpointHandler: chain([assertion], 'ClientHandler').handler },
            },
          ],
          text(bearer),
        ),
        text: /^Bearer client_credentials\.5$/,
      },
      {
        id: 'grant-swap',
        route: {
          baseURI: services,
          ...chain(
            [
              {
                type: 'GrantSwapJwtAssertionOAuth2ClientFilter',
                config: {
                  clientId: 'service-account',
                  assertion: { issuer: 'i', subject: 's', audience: tokenEndpoint, expiryTime: '2 minutes' },
                  signature: { secretId: 'signing.key', algorithm: 'ES256' },
                  secretsProvider: pem,
                },
              },
            ],
            proxy.handler,
          ),
        },
        request: {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=client_credentials',
        },
        text: /"access_token":"jwt-bearer"/,
      },
      {
        id: 'ping-authorize',
        route: chain(
          [
            {
              type: 'PingAuthorizeFilter',
              config: {
                gatewayServiceUri: services,
                secretsProvider: secrets({ credential: 'word' }),
                gatewayCredentialSecretId: 'credential',
                sidebandHandler: 'ClientHandler',
                includeBody: true,
              },
            },
          ],
          text('authorized'),
        ),
        warnings: [/includeBody is deprecated; use includeBodyContentTypes/],
        text: /^authorized$/,
      },
      {
        id: 'uma',
        route: chain(
          [
            {
              type: 'UmaFilter',
              config: {
                protectionApiHandler: 'ClientHandler',
                umaService: {
                  type: 'UmaService',
                  config: {
                    protectionApiHandler: 'ClientHandler',
                    authorizationServerUri: services,
                    clientId: 'uma',
                    clientSecret: 'open sesame',
                    resources: [{ pattern: '.*', actions: [{ scopes: ['#read'], condition: '${true}' }] }],
                  },
                },
              },
            },
          ],
          text('shared'),
        ),
        warnings: [/clientSecret is deprecated; it is a secret in clear text/],
        status: 404,
      },
    ].map((each) => ({ warnings: [], ...each }))
  }
}

/** Filters of messages. */
function messageRoutes(people: object, services: string, echo: string): DialectRoute[] {
  const key = Buffer.alloc(16, 5).toString('base64')
  return [
    {
      id: 'file-attributes',
      route: chain([people], text('${attributes.credentials.password}')),
      warnings: [/target is deprecated; use contexts\.fileAttributes\.record/],
      text: /^open sesame$/,
    },
    {
      id: 'http-basic-auth',
      route: {
        baseURI: services,
        ...chain(
          [
            people,
            {
              type: 'HttpBasicAuthFilter',
              config: {
                username: '${attributes.credentials.username}',
                password: '${attributes.credentials.password}',
                failureHandler: text('no credentials'),
                cacheHeader: false,
              },
            },
          ],
          proxy.handler,
        ),
      },
      text: /^demo:open sesame$/,
    },
    {
      id: 'password-replay',
      route: {
        baseURI: echo,
        ...chain(
          [
            {
              type: 'PasswordReplayFilter',
              config: {
                loginPage: '${true}',
                credentials: people,
                request: {
                  method: 'POST',
                  uri: `${echo}/login`,
                  form: {
                    username: ['${attributes.credentials.username}'],
                    password: ['${attributes.credentials.password}'],
                  },
                },
              },
            },
          ],
          proxy.handler,
        ),
      },
      text: /"url":"\/login".*"application\/x-www-form-urlencoded/,
    },
    {
      id: 'entity-extract',
      route: chain(
        [
          {
            type: 'EntityExtractFilter',
            config: {
              messageType: 'REQUEST',
              target: '${attributes.extracted}',
              bindings: [{ key: 'nonce', pattern: 'nonce=(\\w+)', template: '$1' }],
            },
          },
        ],
        text('${attributes.extracted.nonce}'),
      ),
      request: { method: 'POST', body: 'a=1&nonce=n1&b=2' },
      text: /^n1$/,
    },
    {
      id: 'crypto-header',
      route: chain(
        [
          {
            type: 'CryptoHeaderFilter',
            config: {
              messageType: 'REQUEST',
              operation: 'ENCRYPT',
              algorithm: 'AES/ECB/PKCS5Padding',
              keyType: 'AES',
              keySecretId: 'key',
              secretsProvider: secrets({ key }),
              headers: ['X-Secret'],
            },
          },
        ],
        text("${request.headers['X-Secret'][0]}"),
      ),
      request: { headers: { 'X-Secret': 'hello' } },
      text: /^[A-Za-z0-9+/]{22}==$/,
      // Only a person can decide which value the application expects instead.
      decisions: [/CryptoHeaderFilter is deprecated/],
    },
    {
      id: 'set-cookie-update',
      route: chain(
        [
          {
            type: 'SetCookieUpdateFilter',
            config: { cookies: { '.*': { value: '${previous}@ig', SameSite: 'LAX' } } },
          },
        ],
        { type: 'StaticResponseHandler', config: { status: 200, headers: { 'Set-Cookie': ['a=1; Path=/'] } } },
      ),
      cookie: /^a=1@ig; Path=\/; SameSite=LAX$/,
    },
    {
      id: 'date-header',
      route: chain([{ type: 'DateHeaderFilter' }], text('')),
      header: ['date', / GMT$/],
    },
    {
      id: 'fapi-interaction-id',
      route: chain([{ type: 'FapiInteractionIdFilter' }], text("${request.headers['x-fapi-interaction-id'][0]}")),
      request: { headers: { 'x-fapi-interaction-id': '93bac548-d2de-4546-b106-880a5018460d' } },
      header: ['x-fapi-interaction-id', /^93bac548-d2de-4546-b106-880a5018460d$/],
      text: /^93bac548/,
    },
  ].map((each) => ({ warnings: [], ...each }) as DialectRoute)
}

function desText(password: string): string {
  const bytes = Buffer.alloc(Math.ceil(password.length / 8) * 8)
  bytes.write(password)
  const cipher = createCipheriv('des-ede3', Buffer.concat([DES_KEY, DES_KEY, DES_KEY]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(bytes), cipher.final()]).toString('base64')
}

function part(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}
