import type { Clock } from '#schema'
import { Balancer, ServerStates, textOfSet } from '#upstreams'

type BalancerSettings = ConstructorParameters<typeof Balancer>[1]

/** A server for tests; its URL is made of its position where it has none. */
interface TestServer {
  readonly url?: string
  readonly weight?: number
  readonly priority?: number
}

/** Servers with states in new memory, and the balancer of one unit over them. */
export function balancerOf(
  servers: readonly TestServer[],
  settings: Partial<BalancerSettings>,
  clock: Clock,
  random: () => number,
): { states: ServerStates; memory: SharedArrayBuffer; balancer: Balancer } {
  const entries = servers.map(({ url, weight, priority }, slot) => ({
    url: url ?? `http://10.0.${Math.floor(slot / 250)}.${(slot % 250) + 1}:8080`,
    weight: weight ?? 1,
    priority: priority ?? 0,
    slot,
  }))
  const text = textOfSet(entries)
  const memory = ServerStates.memory({ capacity: entries.length, units: 2, textBytes: text.length })
  new ServerStates(memory, null).writeSet(text)
  const states = new ServerStates(memory, 0)
  const all = { policy: 'roundRobin' as const, panicThreshold: 50, slowStart: 0, ...settings }
  return { states, memory, balancer: new Balancer(states, all, clock, random) }
}

/** Whole numbers below 2**30 that are the same in each run (Mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return (value ^ (value >>> 14)) >>> 2
  }
}
