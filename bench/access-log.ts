import { filteredRoute } from './access-manager-heap.ts'
import { aboveRatio, type ComparedRow, type ComparedSubject, measureAdded } from './added-cost.ts'
import { startGateway } from './gateway-server.ts'
import type { Rounds } from './measure.ts'
import { body, startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Target: the ratio of a gateway with access log to the same without. */
const MOST = 1.1

const off = 'no access log'
const toFile = 'json to a file'
const toStdout = 'json to standard output'

/** The last two are for information. */
const SETTINGS: readonly (readonly [string, object])[] = [
  [toFile, { destination: 'logs/access.log' }],
  [toStdout, {}],
  ['combined to a file', { destination: 'logs/access.log', format: 'combined' }],
  [
    'template to a file',
    { destination: 'logs/access.log', format: '${access.method} ${access.path} ${access.status}' },
  ],
]

/** Measures the cost of access lines: a gateway for each setting, since it is one of admin.json. */
export async function accessLogBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const upstream = await freePort()
  servers.use(await startUpstream(workspace, upstream))
  const routes = new Map<string, unknown>([['route', filteredRoute('/route', upstream, [])]])
  const subject = async (name: string, accessLog: object): Promise<ComparedSubject> => {
    const { server, url } = await startGateway(workspace, name.replaceAll(' ', '-'), routes, { accessLog })
    servers.use(server)
    return { name, server, url: `${url}/route`, expect: { body }, ...(name !== off && { base: off }) }
  }
  const subjects = [await subject(off, { destination: 'off' })]
  for (const [name, accessLog] of SETTINGS) subjects.push(await subject(name, accessLog))
  return await measureAdded(subjects, rounds, progress)
}

/** Messages for the missed targets. */
export function missedAccessLogTargets(rows: readonly ComparedRow[]): string[] {
  return aboveRatio(rows, [toFile, toStdout], MOST)
}
