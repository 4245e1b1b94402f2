import { systemClock } from '#schema'
import { ANY, Balancer, POLICIES, type PolicyName, ServerStates, textOfSet } from '#upstreams'

/** Targets of one choice: nanoseconds, and bytes that it allocates. */
export const upstreamTargets = { nanoseconds: 1_000, bytes: 1 } as const

const SIZES = [1, 3, 1_000] as const
const CHOICES = 1_000_000

/** Time and allocation of the choice of one server. */
export interface ChoiceRow {
  readonly policy: PolicyName
  readonly servers: number
  readonly nanoseconds: number
  readonly bytes: number
}

/** Measures each policy with few and many servers of different weights. */
export function upstreamsBenchmark(): ChoiceRow[] {
  return POLICIES.flatMap((policy) => SIZES.map((servers) => measure(policy, servers)))
}

export function choiceTable(rows: readonly ChoiceRow[]): string {
  const lines = rows.map(
    ({ policy, servers, nanoseconds, bytes }) =>
      `| ${policy} | ${servers} | ${nanoseconds.toFixed(0)} | ${bytes.toFixed(2)} |`,
  )
  return ['| policy | servers | ns | bytes |', '|---|---|---|---|', ...lines].join('\n')
}

/** Messages for the missed targets. */
export function missedUpstreamTargets(rows: readonly ChoiceRow[]): string[] {
  return rows
    .filter(({ nanoseconds, bytes }) => nanoseconds > upstreamTargets.nanoseconds || bytes > upstreamTargets.bytes)
    .map(
      ({ policy, servers, nanoseconds, bytes }) =>
        `${policy} of ${servers}: ${nanoseconds.toFixed(0)} ns, ${bytes.toFixed(2)} bytes`,
    )
}

function measure(policy: PolicyName, servers: number): ChoiceRow {
  const entries = Array.from({ length: servers }, (_, slot) => ({
    url: `http://10.0.${Math.floor(slot / 250)}.${(slot % 250) + 1}:8080`,
    weight: 1 + (slot % 3),
    priority: 0,
    slot,
  }))
  const text = textOfSet(entries)
  const memory = ServerStates.memory({ capacity: servers, units: 4, textBytes: text.length })
  const states = new ServerStates(memory, 0)
  states.writeSet(text)
  const balancer = new Balancer(states, { policy, panicThreshold: 50, slowStart: 0 }, systemClock)
  const keys = Array.from({ length: 1_000 }, (_, i) => `session-${i}-of-a-client`)
  const choose = (count: number) => {
    for (let i = 0; i < count; i++) {
      const { slot } = balancer.choose(ANY, keys[i % 1_000]!)!
      states.begin(slot)
      states.end(slot)
    }
  }
  choose(CHOICES)
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  const before = process.cpuUsage()
  choose(CHOICES)
  const { user, system } = process.cpuUsage(before)
  const bytes = Math.max(0, process.memoryUsage().heapUsed - heap) / CHOICES
  return { policy, servers, nanoseconds: ((user + system) * 1_000) / CHOICES, bytes }
}
