// The gateway with a real Keycloak: the clients, routes and flows of the parts, against one server.
import '#test/loopback-names'
import { Chromium, chromiumMissing } from '#test/chromium'
import { GatewayProcess } from '#test/gateway-process'
import { freePort } from '#test/nginx'
import { RedisServer, redisMissing } from '#test/redis'
import { secureHeap } from '#test/secure-connector'
import { runFlows } from '../flows.ts'
import { peakMemory } from '../memory.ts'
import { withOwned } from '../owned.ts'
import { Relay } from '../relay.ts'
import { AdminApi } from './admin-api.ts'
import { Application } from './application.ts'
import { PARTS } from './flows/index.ts'
import { KeycloakServer } from './keycloak-server.ts'
import { realm, secretOf } from './realm.ts'
import { type Addresses, type Peers, REALM } from './suite.ts'

const APP = 'app.example.test'

/** Words choose flows by their name. */
export function run(words: readonly string[]): Promise<boolean> {
  return withOwned(async (owned) => {
    const flows = PARTS.flatMap((part) => part.flows).filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    )
    if (flows.length === 0) throw new Error(`no flow has ${words.join(' or ')} in its name`)
    const peers = await startPeers(owned)
    const agreed = await runFlows(flows, peers, peers.gateway.log)
    const memory = `Keycloak ${peers.keycloak.peakMemory} MiB, gateway ${peakMemory(peers.gateway.pid)} MiB`
    console.log(`peak memory: ${memory}`)
    return agreed
  })
}

async function startPeers(owned: AsyncDisposableStack): Promise<Peers> {
  const started = performance.now()
  const keycloak = owned.use(new KeycloakServer())
  await keycloak.start()
  console.log(`Keycloak was ready after ${((performance.now() - started) / 1000).toFixed(1)} s`)
  const relay = owned.use(await Relay.start(keycloak.url))
  const redis = redisMissing === false ? owned.use(await RedisServer.start()) : null
  const chromium = chromiumMissing === false ? owned.use(await Chromium.start()) : null
  const application = owned.use(await Application.start())
  const [port, securePort] = [await freePort(), await freePort()]
  const at: Addresses = {
    app: `http://${APP}:${port}`,
    secureApp: `https://${APP}:${securePort}`,
    internalApp: `http://127.0.0.1:${port}`,
    secureInternalApp: `https://127.0.0.1:${securePort}`,
    provider: `${relay.url}/realms/${REALM}`,
    secureProvider: `${keycloak.secureUrl}/realms/${REALM}`,
    issuer: `${keycloak.publicUrl}/realms/${REALM}`,
    authorityFile: keycloak.authority.certificateFile,
    redis: redis?.url ?? null,
    application: application.url,
  }
  const admin = new AdminApi(keycloak.url)
  const clients = PARTS.flatMap((part) => part.clients(at))
  await admin.post('', realm(clients))
  const gateway = owned.use(
    await GatewayProcess.start({
      files: {
        ...Object.fromEntries(clients.map(({ clientId }) => [`secrets/${clientId}`, secretOf(clientId)])),
        ...Object.assign({}, ...PARTS.map((part) => part.files?.(at) ?? {})),
      },
      routes: Object.assign({}, ...PARTS.map((part) => part.routes(at))),
      admin: {
        connectors: [
          { port, host: '127.0.0.1' },
          { port: securePort, host: '127.0.0.1', tls: 'https' },
        ],
        heap: secureHeap(keycloak.authority.issue({ name: APP, altNames: `DNS:${APP},IP:127.0.0.1` }), {
          clientAuth: 'REQUEST',
          trustManager: { type: 'TrustAllManager' },
        }),
      },
    }),
  )
  for (const entry of gateway.log.with(/"level":"(?:warn|error)".*config.routes/))
    console.log(`gateway: ${JSON.stringify(entry)}`)
  return { at, keycloak, admin, relay, application, gateway, redis, chromium }
}
