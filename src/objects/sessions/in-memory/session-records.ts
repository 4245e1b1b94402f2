import { SessionUnavailableError } from '#contracts'
import type { Environment, KeptRecords } from '#schema'

/**
 * Records of sessions on the control thread. Requests wait for each step: the waits are measured, and one without an answer
 * is an outage of sessions (503), not a fault of the route.
 */
export function sessionRecords(records: KeptRecords, env: Environment): KeptRecords {
  const { name, clock, metrics } = env
  const help = 'Time that requests waited for their session.'
  const seconds = metrics.summary('gw_session_wait_seconds', help, { name })
  const waited = async <T>(step: Promise<T>): Promise<T> => {
    const start = clock.monotonic()
    try {
      return await step
    } catch (cause) {
      const message = 'the control thread does not answer; requests with a session get 503'
      env.logger.limited().error({ problem: (cause as Error).message }, message)
      throw new SessionUnavailableError('the control thread did not answer in time', { cause })
    } finally {
      seconds.observe((clock.monotonic() - start) / 1_000)
    }
  }
  return {
    read: (key, lifetime) => waited(records.read(key, lifetime)),
    change: (key, change, lifetime) => waited(records.change(key, change, lifetime)),
    amend: (key, change, lifetime) => waited(records.amend(key, change, lifetime)),
    take: (key) => waited(records.take(key)),
    obtain: (key, initial, lifetime) => waited(records.obtain(key, initial, lifetime)),
  }
}
