import type { KeyManager, TlsIdentity } from '#contracts'
import type { Environment } from '#schema'
import { EVENTS } from './log-events.ts'
import { checkIdentities } from './usable-identities.ts'

/** Milliseconds between reads of keys that can not be used: their store may look at its files only when they are read. */
const RETRY_INTERVAL = 10_000

/**
 * The keys of a client, checked whenever they change: one that OpenSSL rejects does not replace one that works, since no connection
 * could be opened with it. Rejects where they are unusable at first.
 */
export async function usableKeys(
  keys: KeyManager,
  env: Pick<Environment, 'logger' | 'reportState' | 'onDispose'>,
): Promise<KeyManager> {
  let last: readonly TlsIdentity[] = await keys.identities()
  checkIdentities(last)
  let reported: string | null = null
  const report = (error: Error | null) => {
    if (reported === (error?.message ?? null)) return
    reported = error?.message ?? null
    if (error === null) {
      env.logger.info('the keys of a client can be used again')
      env.reportState('up', 'all keys can be used')
    } else {
      env.logger.error({ error }, EVENTS.CLIENT_KEY_UNUSABLE)
      env.reportState('degraded', 'last good client key in use: TLS can not use the current one')
    }
  }
  const identities = async () => {
    const current = await keys.identities()
    try {
      checkIdentities(current)
      last = current
      report(null)
    } catch (error) {
      report(error as Error)
    }
    return last
  }
  // Reported when it changes, not with the next connection. Failures of the source are reported by the source.
  env.onDispose(keys.onChange(() => void identities().catch(() => {})))
  const retrying = setInterval(() => {
    if (reported !== null) void identities().catch(() => {})
  }, RETRY_INTERVAL).unref()
  env.onDispose(() => clearInterval(retrying))
  return { ...keys, identities }
}
