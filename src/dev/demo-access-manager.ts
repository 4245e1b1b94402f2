import { randomBytes } from 'node:crypto'
import { DevelopmentAccessManager } from './access-manager/index.ts'

/** The access manager of the demo, and what the gateway logs in with. */
export interface DemoAccessManager extends AsyncDisposable {
  readonly url: string
  readonly agentPassword: string
}

const SCOPES = { scopes: ['read', 'write'], defaultScopes: ['read'] }

/** Starts it with one agent, the gateway, and two clients: `app` gets opaque tokens, `jwt-app` gets JWTs. */
export async function startDemoAccessManager(port: number): Promise<DemoAccessManager> {
  // A fresh one for each run: nobody else on this machine logs in as the gateway.
  const agentPassword = randomBytes(24).toString('base64url')
  const manager = await DevelopmentAccessManager.start({
    port,
    users: [{ name: 'demo', password: 'changeit' }],
    agents: [{ name: 'gateway', password: agentPassword }],
    clients: [
      { id: 'app', secret: 'demo', ...SCOPES },
      { id: 'jwt-app', secret: 'demo', tokenFormat: 'jwt', signingAlgorithm: 'ES256', ...SCOPES },
    ],
  })
  return { url: manager.url, agentPassword, [Symbol.asyncDispose]: () => manager.close() }
}
