import { startGateway } from './gateway-server.ts'
import { type Post, wrkScript } from './load.ts'
import { type Measured, measure, type Rounds, ratioTo, type Subject } from './measure.ts'
import { type Peer, type StartPeer, start, startHaproxy, startNginx, startScript, startUpstreamScript } from './peer.ts'
import { envoyArguments, envoyConfig, envoyProgram } from './peers/envoy.ts'
import { haproxyConfig } from './peers/haproxy.ts'
import { nginxProxy, nginxUpstream } from './peers/nginx.ts'
import { startOpenIg } from './peers/openig.ts'
import { freePort, type ServerProcess } from './server-process.ts'
import { warmUp } from './warm-up.ts'
import { echoSubjects } from './websocket.ts'
import { Workspace } from './workspace.ts'

/** Targets: the row, its ratio, the peer it refers to, and the most. */
const proxyTargets = [
  ['gateway', 'ratio', 'bare', 0.95],
  ['gateway', 'toEnvoy', 'envoy', 1],
  ['gateway', 'toNginx', 'nginx', 3.5],
  ['gateway POST 1 KB', 'ratio', 'bare', 1],
  ['gateway POST 100 KB', 'ratio', 'bare', 1.05],
] as const
/** Requests before a proxy is measured, after which V8 has compiled what they use. */
const WARM_UP = 50_000
/** Response body of the upstream. */
export const body = 'the quick brown fox jumps over the lazy dog, and the lazy dog does not even open an eye'

/** The peers by name, in order of measurement. */
const peers: Readonly<Record<string, StartPeer>> = {
  gateway: gatewayOf('gateway'),
  bare: (_, port, upstream) => startScript('bare', port, 'bare-proxy.ts', `http://127.0.0.1:${upstream}`),
  fastify: (_, port, upstream) => startScript('fastify', port, 'fastify-proxy.ts', `http://127.0.0.1:${upstream}`),
  nginx: (workspace, port, upstream) =>
    startNginx(workspace, port, 'nginx-proxy.conf', nginxProxy(workspace.path, port, upstream)),
  haproxy: (workspace, port, upstream) => startHaproxy(workspace, port, 'haproxy.cfg', haproxyConfig(port, upstream)),
  envoy: startEnvoy,
  openig: (workspace, port, upstream) => startOpenIg(workspace, port, benchRoute(upstream, 'ClientHandler')),
}

/** Valid names for `--peers`. */
export const peerNames: readonly string[] = Object.keys(peers)

/** A kind of request: the title of its rows, and its body, if any. */
interface Variant {
  readonly title: string
  readonly path: string
  readonly post?: Post
}

/** One row of the result: a measurement and its ratios to the same request through the bare proxy, nginx and Envoy; NaN without the peer. */
export interface ProxyRow extends Measured {
  readonly ratio: number
  readonly toNginx: number
  readonly toEnvoy: number
}

export interface ProxyOptions {
  readonly chosen: readonly string[]
  readonly bodies: boolean
  /** Another checkout of the gateway, measured beside this one as `baseline`. */
  readonly baseline?: string | undefined
}

/**
 * Measures the CPU time of one proxied request and of one echoed WebSocket message: the gateway beside other proxies, over
 * one upstream, in one run; with `bodies` also of requests with a body.
 */
export async function proxyBenchmark(
  rounds: Rounds,
  { chosen, bodies, baseline }: ProxyOptions,
  progress: (text: string) => void,
): Promise<ProxyRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const proxies = await startProxies(workspace, servers, chosen, progress, baseline)
  const variants = bodies ? [plain, posting(workspace, 1), posting(workspace, 100)] : [plain]
  const subjects: Subject[] = []
  for (const { name, server, url: origin } of proxies) {
    const expect = { body, headers: { 'x-bench': '1' } }
    for (const { title, path, post } of variants) {
      const url = origin + path
      subjects.push({ name: name + title, server, url, expect, ...(post !== undefined && { post }) })
    }
  }
  // All peers of one variant are measured and listed one after the other.
  const ordered = variants.flatMap(({ path }) => subjects.filter(({ url }) => url.endsWith(path)))
  const echoes = await echoSubjects({ workspace, servers, progress }, chosen, ['125 B'])
  const measured = await measure([...ordered, ...echoes], rounds, progress)
  return measured.map((row) => {
    const same = (peer: string) => measured.find(({ name }) => name === row.name.replace(/^\w+/, peer))
    return {
      ...row,
      ratio: ratioTo(same('bare'), row),
      toNginx: ratioTo(same('nginx'), row),
      toEnvoy: ratioTo(same('envoy'), row),
    }
  })
}

/** Messages for the missed targets. A peer that was not measured is not compared. */
export function missedProxyTargets(rows: readonly ProxyRow[]): string[] {
  return proxyTargets.flatMap(([wanted, to, peer, most]) => {
    const ratio = rows.find(({ name }) => name === wanted)?.[to] ?? Number.NaN
    return ratio > most ? [`${wanted} costs ${ratio.toFixed(2)} times ${peer}; at most ${most}`] : []
  })
}

/** Starts the chosen proxies, and the baseline, in front of one application. */
export async function startProxies(
  workspace: Workspace,
  servers: AsyncDisposableStack,
  chosen: readonly string[],
  progress: (text: string) => void,
  baseline?: string,
): Promise<(Peer & { readonly name: string })[]> {
  const upstreamPort = await freePort()
  servers.use(await startUpstream(workspace, upstreamPort))
  return await startProxiesBefore(upstreamPort, workspace, servers, chosen, progress, baseline)
}

/** The same in front of an application that runs. */
export async function startProxiesBefore(
  upstreamPort: number,
  workspace: Workspace,
  servers: AsyncDisposableStack,
  chosen: readonly string[],
  progress: (text: string) => void,
  baseline?: string,
): Promise<(Peer & { readonly name: string })[]> {
  const starts = Object.entries(peers).filter(([name]) => chosen.includes(name))
  if (baseline !== undefined) starts.push(['baseline', gatewayOf('baseline', baseline)])
  const proxies: (Peer & { readonly name: string })[] = []
  for (const [name, startPeer] of starts) {
    const started = await startPeer(workspace, await freePort(), upstreamPort)
    if (typeof started === 'string') {
      progress(`NOTICE: without ${name}: ${started}`)
      continue
    }
    servers.use(started.server)
    await warmUp(name, started.url + plain.path, started.warmUp ?? WARM_UP, progress)
    proxies.push({ ...started, name })
  }
  return proxies
}

const plain: Variant = { title: '', path: '/bench' }

function posting(workspace: Workspace, kilobytes: number): Variant {
  const content = 'x'.repeat(kilobytes * 1024)
  const script = workspace.write(`post-${kilobytes}.lua`, wrkScript(content))
  return { title: ` POST ${kilobytes} KB`, path: `/post/${kilobytes}`, post: { body: content, script } }
}

function gatewayOf(name: string, checkout?: string): StartPeer {
  return (workspace, _, upstream) =>
    startGateway(
      workspace,
      name,
      new Map([['bench', benchRoute(upstream)]]),
      checkout === undefined ? {} : { checkout },
    )
}

async function startEnvoy(workspace: Workspace, port: number, upstream: number): Promise<Peer | string> {
  const program = envoyProgram()
  if (typeof program === 'string') return program
  const file = workspace.write('envoy.json', envoyConfig(port, upstream))
  return await start('envoy', port, [program.path, ...envoyArguments(file)])
}

/** The measured route: a HeaderFilter and a ReverseProxyHandler, or its equivalent in a peer with the same routes. */
export function benchRoute(upstream: number, proxy = 'ReverseProxyHandler'): unknown {
  return {
    name: 'bench',
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Bench': ['1'] } } }],
        handler: { type: proxy, baseURI: `http://127.0.0.1:${upstream}` },
      },
    },
  }
}

/** Starts the application behind all proxies: one short text for every request. */
export async function startUpstream(workspace: Workspace, port: number): Promise<ServerProcess> {
  const config = nginxUpstream(workspace.path, port, body)
  const nginx = await startNginx(workspace, port, 'nginx-upstream.conf', config, true)
  if (typeof nginx !== 'string') return nginx.server
  return (await startUpstreamScript('upstream', port, 'upstream.ts', body)).server
}
