// A real OpenAM behind the gateway: downloaded, configured, tested by real requests and a real browser, and stopped.
import '#test/loopback-names'
import type { AddressInfo } from 'node:net'
import { Authority } from '#test/certificates'
import { Chromium, chromiumMissing } from '#test/chromium'
import { freePort } from '#test/nginx'
import { runFlows } from '../flows.ts'
import { peakMemory } from '../memory.ts'
import { withOwned } from '../owned.ts'
import { Relay } from '../relay.ts'
import { FLOWS } from './flows/all.ts'
import { type Peers, requestSender, startApplication, startGateway } from './peers.ts'
import { OpenAm } from './server.ts'
import { setUp } from './set-up.ts'
import { OPENAM_VERSION, TOMCAT_VERSION } from './tomcat.ts'

/** Words choose flows by their name. */
export function run(words: readonly string[]): Promise<boolean> {
  return withOwned(async (owned) => {
    const flows = FLOWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    if (flows.length === 0) throw new Error(`no flow has ${words.join(' or ')} in its name`)
    console.log(`OpenAM ${OPENAM_VERSION} in Tomcat ${TOMCAT_VERSION}: ${flows.length} flows`)
    const peers = await startPeers(owned)
    const agreed = await runFlows(flows, peers)
    console.log(`peak memory: OpenAM ${peers.openam.peakMemory} MiB, gateway ${peakMemory(peers.gateway.pid)} MiB`)
    return agreed
  })
}

/** OpenAM selects the realm by Host: requests to the relay need OpenAM's own host name. */
function relayedUrl(openam: string, relay: Relay): string {
  const url = new URL(openam)
  url.port = new URL(relay.url).port
  return url.href
}

/** Responds 404 to `/notifications`, as servers without notifications do. */
async function startRelay(target: string): Promise<Relay> {
  const relay = await Relay.start(target)
  relay.fault = ({ url = '' }, response) => {
    if (!url.endsWith('/notifications')) return false
    response.writeHead(404).end()
    return true
  }
  return relay
}

async function startPeers(owned: AsyncDisposableStack): Promise<Peers> {
  const started = performance.now()
  const passed = () => `${((performance.now() - started) / 1000).toFixed(1)} s`
  const application = await startApplication()
  owned.defer(() => void application.close().closeAllConnections())
  const at = {
    app: `http://app.example.test:${await freePort()}`,
    shop: `https://shop.other.test:${await freePort()}`,
    upstream: `http://127.0.0.1:${(application.address() as AddressInfo).port}`,
  }
  const openam = owned.use(new OpenAm(await freePort()))
  await openam.install([await freePort(), await freePort(), await freePort()])
  console.log(`OpenAM was configured after ${passed()}`)
  await setUp(openam.admin, at)
  console.log(`realms, users, agents, policies and clients were made after ${passed()}`)
  const relay = owned.use(await startRelay(new URL(openam.url).origin))
  const servers = { ...at, openam: openam.url, withoutNotifications: relayedUrl(openam.url, relay) }
  const gateway = owned.use(await startGateway(servers, owned.use(new Authority())))
  const chromium = chromiumMissing === false ? owned.use(await Chromium.start()) : null
  return { openam, gateway, at, chromium, ask: requestSender(at) }
}
