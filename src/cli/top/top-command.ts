import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '#json'
import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { INSTANCE_OPTION } from '../instance-settings.ts'
import { type ManagementClient, ManagementUnavailable } from '../management/management-client.ts'
import { MANAGEMENT_OPTIONS } from '../management/management-options.ts'
import { withManagement } from '../management/open-management.ts'
import type { ProcessContext } from '../process-context.ts'
import { StopSignals } from '../run/signals.ts'
import { paintFor, printable, terminalSize, writeJson } from '../terminal.ts'
import { LiveMetrics } from './live-metrics.ts'
import { Screen } from './screen.ts'
import { FIXED_LINES, tableLines } from './table.ts'

const METRICS = '/api/monitor/metrics'

/** Milliseconds between attempts to reach a gateway that has gone. */
const RECONNECT_DELAY = 1_000

/** Routes of a table that is printed once. */
const ROUTES_ONCE = 20

/** `gateway top`: traffic and load of a running gateway. */
export const command: Command = {
  usage: ['top [--instance DIR] [--gateway URL] [--password-file FILE] [--ca FILE] [-n N] [--once] [--json]'],
  description: [
    'Shows requests, errors and latencies of all routes, connections, processor time and memory of a running gateway, refreshed each second; q or Ctrl-C ends it. Routes with the most requests are first. Latencies of routes are those of the last five to ten minutes, those of all requests of the last second.',
    'When the gateway goes away, the table says so and stays until the gateway is back. With --once, or where standard output is no terminal, one table is printed after a second. With --json each event of /api/monitor/metrics is a line; with --once the second one is printed, which has the rates of one second.',
  ],
  options: [
    INSTANCE_OPTION,
    ...MANAGEMENT_OPTIONS,
    { name: 'lines', short: 'n', value: 'N', description: 'Number of routes; by default those that fit, or 20.' },
    { name: 'once', description: 'Print one table.' },
  ],
  operands: { least: 0, most: 0 },
  examples: [
    { line: 'gateway top --instance ./my-gateway', note: 'live' },
    { line: 'gateway top --once --json', note: 'for a script' },
  ],
  exits: [
    [EXIT.unavailable, 'the gateway can not be reached at the start, or does not accept the password'],
    [EXIT.configuration, 'there is no such instance'],
  ],
  async run(args, context) {
    const limit = lineLimit(args)
    return withManagement('top', args, context, async (client) => {
      const isOnce = args.has('once') || (context.stdout.isTTY !== true && !args.json)
      if (isOnce) await printOnce(client, limit ?? ROUTES_ONCE, args.json, context)
      else await watch(client, limit, args.json, context)
      return EXIT.ok
    })
  },
}

function lineLimit(args: Arguments): number | null {
  const text = args.value('lines')
  if (text === undefined) return null
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`-n: expected a number from 1, got ${JSON.stringify(text)}`)
  return Number(text)
}

/** The second event has the rates of one second; the first those since an unknown moment. */
async function printOnce(client: ManagementClient, limit: number, json: boolean, context: ProcessContext) {
  const { stdout } = context
  const metrics = new LiveMetrics()
  const ending = new AbortController()
  let events = 0
  let whole: JsonObject = {}
  for await (const event of client.events(METRICS, ending.signal)) {
    metrics.add(event)
    // Later events have changed routes only, and not every family of objects.
    whole = { ...whole, ...event, routes: { ...(whole['routes'] as JsonObject), ...(event['routes'] as JsonObject) } }
    if (++events === 2) break
  }
  ending.abort()
  if (events < 2) throw new ManagementUnavailable(`${client.address}: the stream of metrics ended`)
  if (json) writeJson(stdout, whole)
  else {
    const layout = { title: client.address, limit, width: Number.POSITIVE_INFINITY }
    stdout.write(`${tableLines(metrics, layout, paintFor(stdout, context)).join('\n')}\n`)
  }
}

/** Until a key or a signal. Fails only if the first attempt fails. */
async function watch(client: ManagementClient, limit: number | null, json: boolean, context: ProcessContext) {
  const ending = new AbortController()
  using signals = new StopSignals()
  signals.first.then(() => ending.abort())
  let received = 0
  const events = async function* () {
    for await (const event of client.events(METRICS, ending.signal)) {
      received++
      yield event
    }
  }
  // The first event shows that address and password are right, before the screen changes.
  const first = events()
  const { value } = await first.next()
  if (received === 0) {
    if (ending.signal.aborted) return
    throw new ManagementUnavailable(`${client.address}: the stream of metrics ended`)
  }
  using output = json ? new JsonLines(context) : new LiveTable(client.address, limit, context, () => ending.abort())
  output.show(value as JsonObject)
  for (let stream = first; !ending.signal.aborted; stream = events()) {
    let reason = 'the stream of metrics ended'
    try {
      for await (const event of stream) output.show(event)
    } catch (error) {
      if (!(error instanceof ManagementUnavailable)) throw error
      reason = error.message
    }
    if (ending.signal.aborted) return
    output.lost(reason)
    await wait(RECONNECT_DELAY, undefined, { signal: ending.signal }).catch(() => {})
  }
}

/** Shows events. */
interface EventOutput extends Disposable {
  show(event: JsonObject): void
  /** The gateway has gone; called for each failed attempt to reach it. */
  lost(reason: string): void
}

class JsonLines implements EventOutput {
  readonly #context: ProcessContext
  #isLost = false

  constructor(context: ProcessContext) {
    this.#context = context
  }

  show(event: JsonObject): void {
    this.#isLost = false
    // A reader that is too slow misses events.
    if (!this.#context.stdout.writableNeedDrain) this.#context.stdout.write(`${JSON.stringify(event)}\n`)
  }

  lost(reason: string): void {
    if (!this.#isLost) this.#context.stderr.write(`gateway: top: ${reason}; trying again\n`)
    this.#isLost = true
  }

  [Symbol.dispose](): void {}
}

class LiveTable implements EventOutput {
  readonly #address: string
  readonly #limit: number | null
  readonly #context: ProcessContext
  readonly #screen: Screen
  readonly #metrics = new LiveMetrics()
  #isLost = false

  constructor(address: string, limit: number | null, context: ProcessContext, onEnd: () => void) {
    this.#address = address
    this.#limit = limit
    this.#context = context
    this.#screen = new Screen(context.stdout, context.stdin, onEnd)
  }

  show(event: JsonObject): void {
    if (this.#isLost) this.#metrics.clear()
    this.#isLost = false
    this.#metrics.add(event)
    const time = new Date(String(event['timestamp'])).toTimeString().slice(0, 8)
    this.#draw(`${this.#address}  ${time}  (q ends)`)
  }

  lost(reason: string): void {
    this.#isLost = true
    this.#draw(`is gone: ${printable(reason)}; trying again (q ends)`)
  }

  [Symbol.dispose](): void {
    this.#screen[Symbol.dispose]()
  }

  #draw(title: string): void {
    const { stdout } = this.#context
    const room = this.#screen.rows - FIXED_LINES
    const limit = Math.min(this.#limit ?? room, room)
    const layout = { title, limit, width: terminalSize(stdout).columns, isStale: this.#isLost }
    this.#screen.draw(tableLines(this.#metrics, layout, paintFor(stdout, this.#context)))
  }
}
