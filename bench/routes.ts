import { startGateway } from './gateway-server.ts'
import { type Measured, measure, type Rounds, type Subject } from './measure.ts'
import { Workspace } from './workspace.ts'

const sizes = [10, 1_000, 10_000] as const

/** Targets: the cost ratio of the last of ten thousand routes to the first of ten, and the load time. */
export const routeTargets = { ratio: 5, loadSeconds: 20 } as const

/** One row of the result: the number of routes, their load time, and the cost of a request. */
export interface RoutesRow extends Measured {
  readonly routes: number
  readonly loadSeconds: number
  /** Ratio of CPU time per request to the first of the smallest set. */
  readonly ratio: number
}

/** Measures start-up time and cost of a request by the number of routes; the request matches the last route. */
export async function routesBenchmark(rounds: Rounds, progress: (text: string) => void): Promise<RoutesRow[]> {
  using workspace = new Workspace()
  await using servers = new AsyncDisposableStack()
  const subjects: Subject[] = []
  for (const size of sizes) {
    const ids = Array.from({ length: size }, (_, index) => `r${String(index).padStart(5, '0')}`)
    const routes = new Map(ids.map((id) => [id, staticRoute(id)]))
    const { server, url } = await startGateway(workspace, `routes-${size}`, routes)
    servers.use(server)
    progress(`${size} routes: ready after ${(server.readyAfter / 1000).toFixed(2)} s`)
    const asked = size === sizes[0] ? ids[0]! : ids.at(-1)!
    const name = `${size === sizes[0] ? 'first' : 'last'} of ${size}`
    subjects.push({ name, server, url: `${url}/${asked}/x`, expect: { body: asked } })
  }
  const measured = await measure(subjects, rounds, progress)
  const base = measured[0]?.cpuMicros.median ?? Number.NaN
  return measured.map((row, index) => ({
    ...row,
    routes: sizes[index]!,
    loadSeconds: subjects[index]!.server.readyAfter / 1000,
    ratio: row.cpuMicros.median / base,
  }))
}

/** Messages for the missed targets. */
export function missedTargets(rows: readonly RoutesRow[]): string[] {
  const largest = rows.at(-1)
  if (largest === undefined) return ['nothing was measured']
  const missed: string[] = []
  // NaN is a miss.
  if (!(largest.ratio <= routeTargets.ratio)) {
    missed.push(
      `${largest.name} costs ${largest.ratio.toFixed(2)} times the ${rows[0]?.name}; at most ${routeTargets.ratio}`,
    )
  }
  if (!(largest.loadSeconds < routeTargets.loadSeconds)) {
    missed.push(
      `${largest.routes} routes took ${largest.loadSeconds.toFixed(1)} s to load; under ${routeTargets.loadSeconds} s`,
    )
  }
  return missed
}

/** A route for the paths below its id. */
export function staticRoute(id: string): unknown {
  return {
    name: id,
    condition: `\${find(request.uri.path, '^/${id}/')}`,
    handler: {
      type: 'StaticResponseHandler',
      config: { status: 200, headers: { 'Content-Type': ['text/plain'] }, entity: id },
    },
  }
}
