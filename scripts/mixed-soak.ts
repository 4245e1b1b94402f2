// Mixed load of `npm run soak`: small and large responses, faults, and route changes, invalid ones included.
import { setTimeout as wait } from 'node:timers/promises'
import { pathRoute, RunningGateway } from '../test/support/gateway.ts'
import { Load } from '../test/support/load.ts'
import { PROBE_EXTENSION, PROBE_ROUTE, probeUnits } from '../test/support/probe-extension.ts'
import { httpUpstream } from '../test/support/upstream.ts'

/** Threats F26: growth over the last half, in MiB for a million requests, and the least growth that differs from noise. */
const SLOPE_LIMIT = 10
const NOISE = 48

/** Runs the load, and prints the result; false where a response was unexpected, a unit was restarted, or memory grew. */
export async function mixedSoak(duration: number, progress: (text: () => string) => void): Promise<boolean> {
  await using upstream = await httpUpstream((request, response) => {
    if (request.url === '/drop') return void request.socket.destroy()
    response.end('x'.repeat(request.url === '/large' ? 200_000 : 10))
  })
  const units = 2
  await using gateway = await RunningGateway.start({
    units,
    routes: routes(upstream.url),
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  const load = new Load({
    url: gateway.url,
    connections: 16,
    targets: [
      { path: '/proxy/small', expected: '^200 - x{10}$' },
      { path: '/proxy/large', expected: '^200 - x{200000}$' },
      { path: '/changing', expected: '^200 - v\\d+$' },
      { path: '/nowhere', expected: '^404 ' },
      { path: '/proxy/drop', expected: '^502 ' },
      { path: '/fault', expected: '^500 ' },
    ],
  })
  await using _load = load
  const end = performance.now() + duration
  const resident: number[] = []
  for (let round = 1; performance.now() < end; round++) {
    await gateway.deploy('changing', round % 10 === 0 ? '{ broken' : pathRoute('/changing', `v${round}`))
    // Cleared, since the log of a soak is long; the load counts unexpected responses.
    gateway.log.lines.length = 0
    resident.push(process.memoryUsage().rss / 2 ** 20)
    progress(() => `${round} route changes, ${resident.at(-1)?.toFixed(0)} MiB resident`)
    await wait(100)
  }
  const { requests, wrong, wrongCount } = await load.stop()
  const probes = await probeUnits((path) => gateway.ask(path), units)
  const unhandled = probes.reduce((sum, probe) => sum + probe.unhandled, 0)
  return report({ requests, wrong, wrongCount, resident, unhandled, restarts: gateway.gateway.restarts })
}

function routes(url: string): Record<string, unknown> {
  return {
    probe: PROBE_ROUTE,
    changing: pathRoute('/changing', 'v0'),
    fault: pathRoute('/fault', '${1 / 0}'),
    proxy: {
      condition: "${find(request.uri.path, '^/proxy/')}",
      baseURI: url,
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'UriPathRewriteFilter', config: { mappings: { '/proxy': '/' } } }],
          handler: 'ReverseProxyHandler',
        },
      },
    },
  }
}

interface Outcome {
  readonly requests: number
  readonly wrong: readonly string[]
  readonly wrongCount: number
  readonly resident: readonly number[]
  readonly unhandled: number
  readonly restarts: number
}

function report({ requests, wrong, wrongCount, resident, unhandled, restarts }: Outcome): boolean {
  const [half, last] = [meanAround(resident, 0.5), meanAround(resident, 0.95)]
  const growth = last - half
  const slope = (growth / (requests / 2)) * 1_000_000
  console.log(`requests            ${requests}`)
  console.log(`unexpected          ${wrongCount} responses${wrong.map((text) => `\n  ${text}`).join('')}`)
  console.log(`unhandled, restarts ${unhandled}, ${restarts}`)
  console.log(`route changes       ${resident.length}`)
  console.log(`resident memory     ${half.toFixed(0)} MiB half-way, ${last.toFixed(0)} MiB at the end`)
  console.log(`slope, last half    ${slope.toFixed(1)} MiB for a million requests`)
  const flat = slope < SLOPE_LIMIT || growth < NOISE
  if (!flat) console.log(`memory grew: ${growth.toFixed(0)} MiB over the last half`)
  return wrongCount === 0 && unhandled === 0 && restarts === 0 && flat
}

/** The mean of a tenth of the values around a point of the run, since garbage collection makes single values vary. */
function meanAround(values: readonly number[], point: number): number {
  const width = Math.max(1, Math.floor(values.length / 20))
  const middle = Math.floor(values.length * point)
  const near = values.slice(Math.max(0, middle - width), middle + width)
  return near.reduce((sum, value) => sum + value, 0) / Math.max(1, near.length)
}
