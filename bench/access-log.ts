import { aboveRatio, type ComparedRow } from './added-cost.ts'
import { measurePairs } from './alternating.ts'
import { startPair } from './gateway-pair.ts'
import type { Rounds } from './measure.ts'
import { startUpstream } from './proxy.ts'
import { freePort } from './server-process.ts'
import { Workspace } from './workspace.ts'

/** Target: the ratio of a gateway with access log to the same without. */
const MOST = 1.1

const toFile = 'json to a file'
const toStdout = 'json to standard output'
const off = { destination: 'off' }

/** The first shows the noise: two equal gateways. The last two are for information. */
const SETTINGS: readonly (readonly [string, object])[] = [
  ['no access log, again', off],
  [toFile, { destination: 'logs/access.log' }],
  [toStdout, {}],
  ['combined to a file', { destination: 'logs/access.log', format: 'combined' }],
  [
    'template to a file',
    { destination: 'logs/access.log', format: '${access.method} ${access.path} ${access.status}' },
  ],
]

/** Measures the cost of access lines: gateways of its own for each setting, since it is one of admin.json. */
export async function accessLogBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  using workspace = new Workspace()
  const port = await freePort()
  await using _upstream = await startUpstream(workspace, port)
  const base = { name: 'no access log', options: { accessLog: off } }
  const pairs = SETTINGS.map(([name, accessLog]) => {
    return () => startPair(workspace, port, base, { name, options: { accessLog } })
  })
  return await measurePairs(pairs, rounds, progress)
}

/** Messages for the missed targets. */
export function missedAccessLogTargets(rows: readonly ComparedRow[]): string[] {
  return aboveRatio(rows, [toFile, toStdout], MOST)
}
