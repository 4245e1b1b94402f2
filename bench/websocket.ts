import { checkEcho, echoLoad } from './echo-load.ts'
import { startGateway } from './gateway-server.ts'
import { type Measured, measure, type Rounds, type Subject } from './measure.ts'
import { type StartPeer, startHaproxy, startNginx, startScript, startUpstreamScript } from './peer.ts'
import { haproxyConfig } from './peers/haproxy.ts'
import { nginxTunnel } from './peers/nginx.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** The peer that ratios refer to. */
const reference = 'nginx'
const sizes: Readonly<Record<string, number>> = { '125 B': 125, '64 KB': 65_536 }

/** One row of the result: a measurement and its ratio to nginx with the same messages. */
export interface WebSocketRow extends Measured {
  /** Bytes of messages relayed in both directions in one second of CPU time. */
  readonly bytesPerCpuSecond: number
  /** Ratio of throughput: more is better. */
  readonly ratio: number
}

/** Workspace, servers and progress output of a benchmark. */
export interface BenchContext {
  readonly workspace: Workspace
  readonly servers: AsyncDisposableStack
  readonly progress: (text: string) => void
}

const peers: Readonly<Record<string, StartPeer>> = {
  gateway: (workspace, _, upstream) =>
    startGateway(workspace, 'gateway-websocket', new Map([['echo', echoRoute(upstream)]])),
  bare: (_, port, upstream) => startScript('bare', port, 'bare-tunnel.ts', `http://127.0.0.1:${upstream}`),
  nginx: (workspace, port, upstream) =>
    startNginx(workspace, port, 'nginx-tunnel.conf', nginxTunnel(workspace.path, port, upstream)),
  haproxy: (workspace, port, upstream) =>
    startHaproxy(workspace, port, 'haproxy-tunnel.cfg', haproxyConfig(port, upstream)),
}

/** The peers that relay WebSocket to the same application, as subjects whose requests are echoed messages. */
export async function echoSubjects(
  { workspace, servers, progress }: BenchContext,
  chosen: readonly string[],
  labels: readonly string[],
): Promise<Subject[]> {
  const upstream = await freePort()
  servers.use((await startUpstreamScript('echo', upstream, 'websocket-echo.ts')).server)
  const subjects: Subject[] = []
  for (const [name, begin] of Object.entries(peers)) {
    if (!chosen.includes(name)) continue
    const started = await begin(workspace, await freePort(), upstream)
    if (typeof started === 'string') {
      progress(`NOTICE: without ${name} for WebSocket: ${started}`)
      continue
    }
    servers.use(started.server)
    for (const label of labels) {
      const size = sizes[label]!
      const check = () => checkEcho(started.url, size)
      subjects.push({
        name: `${name} WebSocket ${label}`,
        server: started.server,
        url: started.url,
        check,
        load: echoLoad(size),
      })
    }
  }
  // All peers of one size are measured and listed one after the other.
  return labels.flatMap((label) => subjects.filter(({ name }) => name.endsWith(label)))
}

/** Measures the CPU time of echoed messages, small and large: the gateway beside other proxies. */
export async function webSocketBenchmark(
  rounds: Rounds,
  chosen: readonly string[],
  progress: (text: string) => void,
): Promise<WebSocketRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const subjects = await echoSubjects({ workspace, servers, progress }, chosen, Object.keys(sizes))
  const measured = await measure(subjects, rounds, progress)
  const throughput = ({ name, cpuMicros }: Measured) => (2e6 * sizeOf(name)) / cpuMicros.median
  return measured.map((row) => {
    const base = measured.find(({ name }) => name === row.name.replace(/^\w+/, reference))
    const bytesPerCpuSecond = throughput(row)
    return {
      ...row,
      bytesPerCpuSecond,
      ratio: bytesPerCpuSecond / (base === undefined ? Number.NaN : throughput(base)),
    }
  })
}

function sizeOf(name: string): number {
  return Object.entries(sizes).find(([label]) => name.endsWith(label))?.[1] ?? Number.NaN
}

export function echoRoute(upstream: number): object {
  return {
    name: 'echo',
    handler: {
      type: 'ReverseProxyHandler',
      baseURI: `http://127.0.0.1:${upstream}`,
      config: { websocket: { enabled: true } },
    },
  }
}
