/** A module for `extra/`: objects that report the state of a unit, and some with faults. */
export const PROBE_EXTENSION = `
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { threadId } from 'node:worker_threads'

let live = 0
let unhandled = 0
process.on('unhandledRejection', (error) => {
  unhandled++
  throw error
})

export const types = ({ defineType, FilterKind, HandlerKind, Response, respond, string, config }) => [
  defineType({
    name: 'VersionFilter',
    kind: FilterKind,
    summary: 'Adds its version to responses, and reports its disposal.',
    config: { version: config(string()).meta({ description: 'The mark.' }) },
    create({ version }, env) {
      live++
      env.onDispose(() => {
        live--
        env.logger.info('disposed ' + version)
      })
      return async (exchange, next) => {
        const response = await next(exchange)
        response.headers.add('X-Version', version)
        return response
      }
    },
  }),
  defineType({
    name: 'FaultFilter',
    kind: FilterKind,
    summary: 'Fails in the requested way.',
    config: { fault: config(string()).meta({ description: 'Which way.' }) },
    create({ fault }, env) {
      if (fault === 'create') throw new Error('built to fail')
      if (fault === 'dispose') env.onDispose(() => Promise.reject(new Error('disposed to fail')))
      const faults = {
        throw: () => { throw new Error('thrown') },
        reject: () => Promise.reject(new TypeError('rejected')),
        late: async () => { await null; throw 'a text' },
        nothing: async () => null,
        outside: (exchange, next) => { setTimeout(() => { throw new Error('outside of any request') }); return next(exchange) },
        complete: (exchange, next) => { exchange.onComplete(() => { throw new Error('in a callback') }); return next(exchange) },
        circular: async () => { const a = {}; a.a = a; return respond(200, {}, JSON.stringify(a)) },
      }
      return faults[fault] ?? ((exchange, next) => next(exchange))
    },
  }),
  defineType({
    name: 'StallFilter',
    kind: FilterKind,
    summary: 'Blocks the thread for the milliseconds of the header field X-Stall.',
    config: {},
    create: () => (exchange, next) => {
      const end = performance.now() + Number(exchange.request.headers.get('X-Stall') ?? 0)
      // In naps: a thread that spins would take the processor from other tests.
      const naps = new Int32Array(new SharedArrayBuffer(4))
      while (performance.now() < end) Atomics.wait(naps, 0, 0, Math.min(20, end - performance.now()))
      return next(exchange)
    },
  }),
  defineType({
    name: 'StallWhileBuilding',
    kind: FilterKind,
    summary: 'Blocks the thread that builds it for ever.',
    config: {},
    create: () => {
      for (;;);
    },
  }),
  defineType({
    name: 'FifoFilter',
    kind: FilterKind,
    summary: 'Blocks the thread in a system call: a pipe that has no other end.',
    config: {},
    create: () => (exchange, next) => {
      readFileSync(exchange.request.headers.get('X-File'))
      return next(exchange)
    },
  }),
  defineType({
    name: 'ProbeHandler',
    kind: HandlerKind,
    summary: 'Reports the state of its thread.',
    config: {},
    create: () => {
      setFlagsFromString('--expose-gc')
      const gc = runInNewContext('gc')
      return async () => {
        gc()
        const { heapUsed } = process.memoryUsage()
        const body = JSON.stringify({ threadId, live, unhandled, heapUsed, polluted: ({}).polluted ?? null })
        return new Response(200, { headers: { 'Content-Type': 'application/json' }, body })
      }
    },
  }),
]
`

/** The report of a ProbeHandler. */
export interface Probe {
  readonly threadId: number
  /** VersionFilters that were created and not yet disposed. */
  readonly live: number
  /** Unhandled rejections. */
  readonly unhandled: number
  /** Bytes in use after garbage collection. */
  readonly heapUsed: number
  /** A property that a polluted prototype would have. */
  readonly polluted: unknown
}

/** A route at /probe. */
export const PROBE_ROUTE = { condition: "${request.uri.path == '/probe'}", handler: { type: 'ProbeHandler' } }

/** Probes of every unit: sends requests on new connections until each has responded. */
export async function probeUnits(get: (path: string) => Promise<{ text: string }>, units: number): Promise<Probe[]> {
  const probes = new Map<number, Probe>()
  for (let round = 0; probes.size < units && round < 1_000; round++) {
    const probe = JSON.parse((await get('/probe')).text) as Probe
    probes.set(probe.threadId, probe)
  }
  return [...probes.values()]
}
