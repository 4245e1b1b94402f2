import { randomBytes } from 'node:crypto'
import { DevelopmentAccessManager } from './access-manager/index.ts'
import { DEMO_POLICIES } from './demo-policies.ts'

/** The access manager of the demo, and the credentials of the gateway. */
interface DemoAccessManager extends AsyncDisposable {
  readonly url: string
  readonly agentPassword: string
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
  return { url: manager.url, agentPassword, [Symbol.asyncDispose]: () => manager.close() }
}
