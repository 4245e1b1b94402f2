import { join } from 'node:path'
import { startGateway } from './gateway-server.ts'
import { installed } from './load.ts'
import { type Measured, measure, type Rounds, type Subject } from './measure.ts'
import { haproxyConfig } from './peers/haproxy.ts'
import { nginxProxy, nginxUpstream } from './peers/nginx.ts'
import { freePort, ServerProcess } from './server-process.ts'
import { node, root, Workspace } from './workspace.ts'

/** Whose cost the others are divided by. */
const yardstick = 'bare'
const body = 'the quick brown fox jumps over the lazy dog, and the lazy dog does not even open an eye'

type Start = (
  workspace: Workspace,
  port: number,
  upstream: number,
) => Promise<{ server: ServerProcess; url: string } | string>

/** The peers by name, in the order of a turn; a text instead of a server says why one is missing. */
const peers: Readonly<Record<string, Start>> = {
  gateway: (workspace, _, upstream) => startGateway(workspace, 'gateway', new Map([['bench', benchRoute(upstream)]])),
  bare: (_, port, upstream) => startScript('bare', 'bare-proxy.ts', port, `http://127.0.0.1:${upstream}`),
  fastify: (_, port, upstream) => startScript('fastify', 'fastify-proxy.ts', port, `http://127.0.0.1:${upstream}`),
  nginx: async (workspace, port, upstream) =>
    startProgram('nginx', port, (program) => {
      const file = workspace.write('nginx-proxy.conf', nginxProxy(workspace.path, port, upstream))
      return [program, '-c', file, '-p', workspace.path, '-e', 'stderr']
    }),
  haproxy: async (workspace, port, upstream) =>
    startProgram('haproxy', port, (program) => [
      program,
      '-db',
      '-f',
      workspace.write('haproxy.cfg', haproxyConfig(port, upstream)),
    ]),
}

/** The names that `--peers` takes. */
export const peerNames: readonly string[] = Object.keys(peers)

/** One line of the result: what was measured, and how it stands to the yardstick. */
export interface ProxyRow extends Measured {
  readonly ratio: number
}

/** Measures the CPU time of one proxied request: the gateway beside other proxies, over one upstream, in one run. */
export async function proxyBenchmark(
  rounds: Rounds,
  chosen: readonly string[],
  progress: (text: string) => void,
): Promise<ProxyRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstreamPort = await freePort()
  servers.use(await startUpstream(workspace, upstreamPort))

  const subjects: Subject[] = []
  for (const [name, start] of Object.entries(peers)) {
    if (!chosen.includes(name)) continue
    const started = await start(workspace, await freePort(), upstreamPort)
    if (typeof started === 'string') {
      progress(`NOTICE: without ${name}: ${started}`)
      continue
    }
    servers.use(started.server)
    subjects.push({
      name,
      server: started.server,
      url: `${started.url}/bench`,
      expect: { body, headers: { 'x-bench': '1' } },
    })
  }
  const measured = await measure(subjects, rounds, progress)
  const base = measured.find(({ name }) => name === yardstick)?.cpuMicros.median ?? Number.NaN
  return measured.map((row) => ({ ...row, ratio: row.cpuMicros.median / base }))
}

function benchRoute(upstream: number): unknown {
  return {
    name: 'bench',
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Bench': ['1'] } } }],
        handler: { type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${upstream}` },
      },
    },
  }
}

async function startUpstream(workspace: Workspace, port: number): Promise<ServerProcess> {
  const readyUrl = `http://127.0.0.1:${port}/`
  const nginx = installed('nginx')
  if (nginx === undefined) {
    const script = join(root, 'bench', 'peers', 'upstream.ts')
    return ServerProcess.start({ name: 'upstream', command: [node, script, String(port), body], readyUrl })
  }
  const file = workspace.write('nginx-upstream.conf', nginxUpstream(workspace.path, port, body))
  const command = [nginx, '-c', file, '-p', workspace.path, '-e', 'stderr'] as const
  return ServerProcess.start({ name: 'upstream', command, readyUrl })
}

async function startScript(name: string, file: string, port: number, upstream: string) {
  const command = [node, join(root, 'bench', 'peers', file), String(port), upstream] as const
  return started(name, port, command)
}

async function startProgram(name: string, port: number, command: (program: string) => [string, ...string[]]) {
  const program = installed(name)
  return program === undefined ? `it is not installed (apt-get install ${name})` : started(name, port, command(program))
}

async function started(name: string, port: number, command: readonly [string, ...string[]]) {
  const url = `http://127.0.0.1:${port}`
  return { server: await ServerProcess.start({ name, command, readyUrl: `${url}/` }), url }
}
