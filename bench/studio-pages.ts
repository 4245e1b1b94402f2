import { Chromium, chromiumMissing } from '#test/chromium'
import { measureFilter, measureFirstPage } from '#test/studio-performance'
import type { ComparedRow } from './added-cost.ts'
import { startGateway } from './gateway-server.ts'
import { median, type Rounds } from './measure.ts'
import { Workspace } from './workspace.ts'

const firstPage = 'first page, cold browser'
const filterKey = 'key in the filter of 5,000 routes'

/** Targets: CPU microseconds of the page's thread, and bytes of the first page as transferred. */
const pageTargets = { [firstPage]: 1_500_000, [filterKey]: 50_000 }
const MOST_BYTES = 450_000

const PASSWORD = 'of-the-benchmark'
const ROUTES = 5_000

/** Measures pages of the Studio in Chromium: a "request" is a page, or a key that is pressed. */
export async function studioPages({ rounds }: Rounds, progress: (text: string) => void): Promise<ComparedRow[]> {
  if (chromiumMissing !== false) {
    progress(chromiumMissing)
    return []
  }
  using workspace = new Workspace()
  workspace.write('gateway/secrets/gateway.admin.password', PASSWORD)
  const routes = new Map(Array.from({ length: ROUTES }, (_, at) => [`route-${String(at).padStart(4, '0')}`, route(at)]))
  const { server, adminUrl } = await startGateway(workspace, 'gateway', routes)
  await using _server = server
  await using chromium = await Chromium.start()
  const pages: number[] = []
  const keys: number[] = []
  for (let round = 1; round <= rounds; round++) {
    await chromium.withPage(async (page) => {
      const first = await measureFirstPage(page, { adminUrl, password: PASSWORD, route: 'route-0000' })
      if (first.bytes > MOST_BYTES) throw new Error(`the first page has ${first.bytes} bytes; at most ${MOST_BYTES}`)
      await page.getByText(`${ROUTES} routes`).waitFor()
      const costs = await measureFilter(page, 'staticresponse 49')
      pages.push(first.cpuSeconds * 1e6)
      keys.push(...costs.map((milliseconds) => milliseconds * 1000))
      const cost = `${(first.cpuSeconds * 1000).toFixed(0)} ms CPU, ${first.bytes} bytes`
      progress(`round ${round}/${rounds} ${firstPage}: ${cost}; ${filterKey}: ${median(costs).toFixed(1)} ms CPU`)
    })
  }
  return [rowOf(firstPage, pages), rowOf(filterKey, keys)]
}

/** Messages for the missed targets. Without a browser nothing was measured. */
export function missedPageTargets(rows: readonly ComparedRow[]): string[] {
  return Object.entries(pageTargets).flatMap(([wanted, most]) => {
    const row = rows.find(({ name }) => name === wanted)
    if (row === undefined || row.cpuMicros.median <= most) return []
    return [`${wanted} takes ${(row.cpuMicros.median / 1000).toFixed(0)} ms of CPU time; at most ${most / 1000}`]
  })
}

function rowOf(name: string, costs: readonly number[]): ComparedRow {
  return {
    name,
    base: null,
    ratio: 1,
    addedMicros: 0,
    requests: costs.length,
    errors: 0,
    cpuMicros: { median: median(costs), min: Math.min(...costs), max: Math.max(...costs) },
    cpuMicrosByRound: costs,
    requestsPerSecond: 1e6 / median(costs),
    repeated: 0,
    slow: 0,
  }
}

function route(at: number): object {
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'x' } }
  return { condition: `\${request.uri.path == '/${at}'}`, handler }
}
