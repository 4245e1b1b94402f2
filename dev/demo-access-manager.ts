import { randomBytes } from 'node:crypto'
import { DevelopmentAccessManager } from './access-manager/index.ts'
import { DEMO_POLICIES } from './demo-policies.ts'

/** The access manager of the demo, and the credentials of the gateway. */
interface DemoAccessManager extends AsyncDisposable {
  readonly url: string
  readonly agentPassword: string
  /** Secret of the client `gateway-login`. */
  readonly clientSecret: string
  /** Registers the gateway as a client for logins, with the origins of its connectors. */
  registerLogin(origins: readonly string[]): void
}

const SCOPES = { scopes: ['read', 'write'], defaultScopes: ['read'] }

/**
 * Starts it with one agent, the gateway; two clients, of which `app` gets opaque tokens and `jwt-app` JWTs; the users `demo`
 * and `admin`; and policies for the pages of the sample instance.
 */
export async function startDemoAccessManager(port: number): Promise<DemoAccessManager> {
  // Random for each run: no other user of this host can log in as the gateway.
  const agentPassword = randomBytes(24).toString('base64url')
  const manager = await DevelopmentAccessManager.start({
    port,
    users: [
      { name: 'demo', password: 'changeit' },
      { name: 'admin', password: 'changeit', admin: true },
    ],
    agents: [{ name: 'gateway', password: agentPassword }],
    clients: [
      { id: 'app', secret: 'demo', ...SCOPES },
      { id: 'jwt-app', secret: 'demo', tokenFormat: 'jwt', signingAlgorithm: 'ES256', ...SCOPES },
    ],
  })
  for (const policy of DEMO_POLICIES) manager.putPolicy(policy)
  const clientSecret = randomBytes(24).toString('base64url')
  return {
    url: manager.url,
    agentPassword,
    clientSecret,
    registerLogin: (origins) => {
      const redirectUris = origins.map((origin) => `${origin}/oidc/login/callback`)
      manager.registerClient({ id: 'gateway-login', secret: clientSecret, scopes: ['openid', 'profile'], redirectUris })
    },
    [Symbol.asyncDispose]: () => manager.close(),
  }
}
