// Flows of the suites with real peers: each agrees with the peer or fails, and is one row of the result.
import { AssertionError } from 'node:assert'
import { inspect } from 'node:util'

export interface Flow<Peers> {
  readonly name: string
  /** Why it can not run here, or false. */
  readonly skip?: string | false
  /** In milliseconds; a flow that takes longer does not agree. */
  readonly timeout?: number
  /** Throws on an unexpected result. A returned text is printed below its row. */
  readonly run: (peers: Peers) => Promise<unknown>
}

/** The log of the gateway; warnings and errors of a failed flow are printed. */
export interface FlowLog {
  readonly lines: readonly string[]
}

const TIMEOUT = 120_000

/** Runs the flows in order and prints a row for each; returns whether all agreed. */
export async function runFlows<Peers>(
  flows: readonly Flow<Peers>[],
  peers: Peers,
  log: FlowLog = { lines: [] },
): Promise<boolean> {
  const counts = { agreed: 0, FAILED: 0, skipped: 0 }
  for (const flow of flows) {
    const [started, from] = [performance.now(), log.lines.length]
    const [outcome, detail] = await outcomeOf(flow, peers)
    counts[outcome] += 1
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const logged =
      outcome === 'FAILED' ? log.lines.slice(from).filter((line) => /"level":"(?:warn|error)"/.test(line)) : []
    console.log(`${outcome.padEnd(8)} ${flow.name} (${seconds} s)${detail === '' ? '' : `\n  ${detail}`}`)
    for (const line of logged.slice(-5)) console.log(`  gateway: ${line}`)
  }
  console.log(`${counts.agreed} flows agreed, ${counts.FAILED} FAILED, ${counts.skipped} skipped`)
  return counts.FAILED === 0
}

async function outcomeOf<Peers>(flow: Flow<Peers>, peers: Peers): Promise<['agreed' | 'FAILED' | 'skipped', string]> {
  if (typeof flow.skip === 'string') return ['skipped', `NOTICE: ${flow.skip}`]
  const { promise: late, reject } = Promise.withResolvers<never>()
  const { timeout = TIMEOUT } = flow
  const timer = setTimeout(() => reject(new Error(`not finished within ${timeout / 1000} s`)), timeout)
  try {
    const fact = await Promise.race([flow.run(peers), late])
    return ['agreed', typeof fact === 'string' ? fact : '']
  } catch (error) {
    return ['FAILED', explain(error)]
  } finally {
    clearTimeout(timer)
  }
}

function explain(error: unknown): string {
  if (!(error instanceof AssertionError)) return error instanceof Error ? causes(error) : inspect(error)
  const where = /\((file:.*?)\)|at (file:.*)/.exec(error.stack ?? '')
  const place = where === null ? '' : `\n  at ${(where[1] ?? where[2])?.replace(/^.*\/test\//, 'test/')}`
  // Node also appends the values to a message.
  const why = error.generatedMessage ? '' : `${error.message.split('\n', 1)[0]}: `
  return `${why}expected ${inspect(error.expected)}, found ${inspect(error.actual)}${place}`
}

function causes(error: Error): string {
  const cause = error.cause instanceof Error ? `\n  because ${explain(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
