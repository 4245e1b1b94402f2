import { join } from 'node:path'
import { startGateway } from './gateway-server.ts'
import { installed, type Post, wrkScript } from './load.ts'
import { type Measured, measure, type Rounds, type Subject } from './measure.ts'
import { haproxyConfig } from './peers/haproxy.ts'
import { nginxProxy, nginxUpstream } from './peers/nginx.ts'
import { freePort, ServerProcess } from './server-process.ts'
import { echoSubjects } from './websocket.ts'
import { node, root, Workspace } from './workspace.ts'

/** Whose cost the others are divided by. */
const yardstick = 'bare'
/** What the upstream answers. */
export const body = 'the quick brown fox jumps over the lazy dog, and the lazy dog does not even open an eye'

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

/** What is asked: the title of the lines, and the body that is sent, if any. */
interface Variant {
  readonly title: string
  readonly path: string
  readonly post?: Post
}

/** One line of the result: what was measured, and how it stands to the yardstick. */
export interface ProxyRow extends Measured {
  readonly ratio: number
}

/**
 * Measures the CPU time of one proxied request and of one echoed WebSocket message: the gateway beside other proxies, over
 * one upstream, in one run; with `bodies` also of requests that send some.
 */
export async function proxyBenchmark(
  rounds: Rounds,
  { chosen, bodies }: { readonly chosen: readonly string[]; readonly bodies: boolean },
  progress: (text: string) => void,
): Promise<ProxyRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstreamPort = await freePort()
  servers.use(await startUpstream(workspace, upstreamPort))

  const variants = bodies ? [plain, posting(workspace, 1), posting(workspace, 100)] : [plain]
  const subjects: Subject[] = []
  for (const [name, start] of Object.entries(peers)) {
    if (!chosen.includes(name)) continue
    const started = await start(workspace, await freePort(), upstreamPort)
    if (typeof started === 'string') {
      progress(`NOTICE: without ${name}: ${started}`)
      continue
    }
    servers.use(started.server)
    const expect = { body, headers: { 'x-bench': '1' } }
    for (const { title, path, post } of variants) {
      const url = started.url + path
      subjects.push({ name: name + title, server: started.server, url, expect, ...(post !== undefined && { post }) })
    }
  }
  // All peers of one variant are beside each other, in the table as in time.
  const ordered = variants.flatMap(({ path }) => subjects.filter(({ url }) => url.endsWith(path)))
  const echoes = await echoSubjects({ workspace, servers, progress }, chosen, ['125 B'])
  const measured = await measure([...ordered, ...echoes], rounds, progress)
  return measured.map((row) => {
    const base = measured.find(({ name }) => name === row.name.replace(/^\w+/, yardstick))
    return { ...row, ratio: row.cpuMicros.median / (base?.cpuMicros.median ?? Number.NaN) }
  })
}

const plain: Variant = { title: '', path: '/bench' }

function posting(workspace: Workspace, kilobytes: number): Variant {
  const content = 'x'.repeat(kilobytes * 1024)
  const script = workspace.write(`post-${kilobytes}.lua`, wrkScript(content))
  return { title: ` POST ${kilobytes} KB`, path: `/post/${kilobytes}`, post: { body: content, script } }
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

/** Starts the application behind all proxies: one short text for every request. */
export async function startUpstream(workspace: Workspace, port: number): Promise<ServerProcess> {
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
