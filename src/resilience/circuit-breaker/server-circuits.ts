import type { ServerCircuits } from '#contracts'
import type { Environment } from '#schema'
import { Circuit } from './circuit.ts'
import type { CircuitBreakerSettings } from './circuit-breaker.ts'

/** Memory of the circuits of all servers at most; with more of them windows are smaller. */
const MAX_BYTES = 64 * 2 ** 20

/**
 * A circuit for each server of a service, with the settings of the handler's: one server that fails gets no requests, while the
 * circuit of the handler stays closed.
 */
export async function openServerCircuits(
  { maxFailures, openDuration, slidingCounter }: CircuitBreakerSettings,
  capacity: number,
  env: Environment,
): Promise<ServerCircuits> {
  const most = Math.floor(MAX_BYTES / capacity / BigInt64Array.BYTES_PER_ELEMENT) - 2
  const window = slidingCounter === undefined ? null : Math.min(slidingCounter.size, most)
  const settings = { maxFailures, openDuration, size: window !== null && window > maxFailures ? window : null }
  const bytes = Circuit.bytes(settings)
  const memory = await env.shared('server circuits', bytes * capacity)
  const circuits: Circuit[] = []
  const of = (slot: number): Circuit => {
    circuits[slot] ??= new Circuit(memory, settings, env.clock, slot * bytes)
    return circuits[slot]
  }
  return {
    isOpen: (slot) => of(slot).isOpen,
    admit: (slot) => of(slot).admit(),
    record: (slot, epoch, failed) => void of(slot).record(epoch, failed),
  }
}
