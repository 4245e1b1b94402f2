import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { DevelopmentAccessManager, type Policy } from '#dev'
import { Authority } from '#test/certificates'
import { RunningGateway, textRoute } from '#test/gateway'
import { OidcProvider } from '#test/oidc-provider'
import { Site } from '#test/site'
import { routes } from './routes.ts'

/** Host name of the gateway. */
const APP = 'app.example.test'

/**
 * Sites as browsers distinguish them: example.test with the gateway, an access manager and an OpenID provider, and other.test
 * with an access manager, an OpenID provider and the site of an attacker.
 */
export class Sites implements AsyncDisposable {
  readonly gateway: RunningGateway
  /** In the domain of the gateway. */
  readonly near: DevelopmentAccessManager
  /** In another domain. */
  readonly far: DevelopmentAccessManager
  readonly #owned: AsyncDisposableStack
  readonly #stranger: Site

  private constructor(
    gateway: RunningGateway,
    [near, far]: [DevelopmentAccessManager, DevelopmentAccessManager],
    stranger: Site,
    owned: AsyncDisposableStack,
  ) {
    this.gateway = gateway
    this.near = near
    this.far = far
    this.#stranger = stranger
    this.#owned = owned
  }

  static async start(): Promise<Sites> {
    await using owned = new AsyncDisposableStack()
    const gateway = owned.use(await startGateway(owned.use(new Authority())))
    const at = addressesOf(gateway)
    const near = owned.use(
      await DevelopmentAccessManager.start({
        publicHost: 'am.example.test',
        domains: ['example.test'],
        gotoHosts: [APP, 'shop.example.test'],
      }),
    )
    const redirectUris = [`${at.https}/far/redirect`, `${at.https}/strict/redirect`]
    const far = owned.use(
      await DevelopmentAccessManager.start({
        publicHost: 'am.other.test',
        gotoHosts: [APP],
        agents: [{ name: 'ig_agent', password: 'password', redirectUris }],
      }),
    )
    for (const policy of POLICIES) near.putPolicy(policy)
    for (const policy of POLICIES) far.putPolicy(policy)
    const nearProvider = owned.use(await startProvider('login.example.test', at.http, ['near-id']))
    const farProvider = owned.use(
      await startProvider('login.other.test', at.https, ['far-id', 'strict-id', 'posted-id']),
    )
    const stranger = owned.use(
      await Site.start({
        '/bank': attackForm(`${at.http}/bank/pay`),
        '/unguarded': attackForm(`${at.http}/unguarded/pay`),
      }),
    )
    const deployed = routes({ near: near.url, far: far.url, nearId: nearProvider.url, farId: farProvider.url })
    for (const [name, route] of Object.entries(deployed)) gateway.instance.writeRoute(name, route)
    await gateway.scan()
    for (const name of Object.keys(deployed)) {
      const problems = gateway.problems(`${name}.json`)
      if (problems.length > 0) throw new Error(`route ${name}: ${problems.join('; ')}`)
    }
    return new Sites(gateway, [near, far], stranger, owned.move())
  }

  /** An address of the gateway without TLS. */
  http(path: string): string {
    return addressesOf(this.gateway).http + path
  }

  /** An address of the gateway over TLS. */
  https(path: string): string {
    return addressesOf(this.gateway).https + path
  }

  /** A page of another site with a form for the gateway. */
  stranger(path: string): string {
    return `http://evil.other.test:${this.#stranger.port}${path}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync()
  }
}

/** Policies of both access managers; the path of a page names its requirement. */
const POLICIES: readonly Policy[] = [
  policy('pages', { resources: ['*://*:*/*/page', '*://*:*/*/page?*'] }),
  policy('strong', { resources: ['*://*:*/*/strong'], condition: { type: 'AuthLevel', authLevel: 5 } }),
  policy('transfer', { resources: ['*://*:*/*/transfer'], condition: { type: 'Transaction' } }),
]

/** A policy that grants GET to authenticated users. */
export function policy(name: string, fields: Pick<Policy, 'resources'> & Partial<Policy>): Policy {
  return {
    name,
    applicationName: 'site',
    actionValues: { GET: true },
    subject: { type: 'AuthenticatedUsers' },
    ...fields,
  }
}

function addressesOf({ gateway }: RunningGateway): { http: string; https: string } {
  const [plain, secure] = gateway.ports
  return { http: `http://${APP}:${plain}`, https: `https://${APP}:${secure}` }
}

function startGateway(authority: Authority): Promise<RunningGateway> {
  const { keyFile, certificateFile } = authority.issue({ name: APP })
  const url = `${keyFile}.p12`
  const input = ['-inkey', keyFile, '-in', certificateFile, '-name', 'server', '-passout', 'pass:word']
  const { status, stderr } = spawnSync('openssl', ['pkcs12', '-export', ...input, '-out', url])
  if (status !== 0) throw new Error(`openssl pkcs12: ${stderr}`)
  return RunningGateway.start({
    files: {
      'secrets/agent.password': Buffer.from('password').toString('base64'),
      'secrets/client.secret': Buffer.from('a secret of the client').toString('base64'),
    },
    routes: { goodbye: textRoute('goodbye', { condition: "${request.uri.path == '/goodbye'}" }) },
    admin: {
      connectors: [
        { port: 0, host: '127.0.0.1' },
        { port: 0, host: '127.0.0.1', tls: 'https' },
      ],
      heap: [
        { name: 'keystore', type: 'KeyStore', config: { url, password: 'word' } },
        { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
        { name: 'https', type: 'ServerTlsOptions', config: { keyManager: 'keys' } },
      ],
    },
  })
}

function startProvider(host: string, site: string, applications: readonly string[]): Promise<OidcProvider> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return OidcProvider.start(
    () => ({
      clients: [
        {
          client_id: 'gateway',
          client_secret: 'a secret of the client',
          redirect_uris: applications.map((name) => `${site}/${name}/oidc/callback`),
          post_logout_redirect_uris: [`${site}/goodbye`],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      cookies: { keys: ['a key of the test'] },
      claims: { openid: ['sub'], profile: ['name'] },
      findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, name: `${id} of test` }) }),
      features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] as never },
    }),
    host,
  )
}

/** A page of an attacker whose form submits a payment. */
function attackForm(action: string): string {
  return `<!doctype html><title>You win</title><form method="post" action="${action}"><button name="amount" value="1000">Win</button></form>`
}
