import { SessionUnavailableError } from '#contracts'
import type { Environment, SharedStore } from '#schema'
import { EVENTS } from '../log-events.ts'

/**
 * Session records on the control thread. The wait of requests is measured, and a timeout is an outage of sessions (503), not a fault of
 * the route.
 */
export function sessionStore(store: SharedStore, env: Environment): SharedStore {
  const { name, clock, metrics } = env
  const help = 'Time that requests waited for their session.'
  const seconds = metrics.summary('gw_session_wait_seconds', help, { name })
  const waited = async <T>(step: Promise<T>): Promise<T> => {
    const start = clock.monotonic()
    try {
      return await step
    } catch (cause) {
      const message = 'the control thread does not answer; requests with a session get 503'
      env.logger.limited().error({ problem: (cause as Error).message }, EVENTS.STORE_UNAVAILABLE.withMessage(message))
      throw new SessionUnavailableError('the control thread did not answer in time', { cause })
    } finally {
      seconds.observe((clock.monotonic() - start) / 1_000)
    }
  }
  return {
    get: (key, lifetime) => waited(store.get(key, lifetime)),
    update: (key, change, lifetime) => waited(store.update(key, change, lifetime)),
    updateIfPresent: (key, change, lifetime) => waited(store.updateIfPresent(key, change, lifetime)),
    getAndDelete: (key) => waited(store.getAndDelete(key)),
    getOrCreate: (key, initial, lifetime) => waited(store.getOrCreate(key, initial, lifetime)),
  }
}
