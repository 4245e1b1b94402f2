import { type Logger, onceEvery } from '#logging'

/** Reports a client whose connection is closed for what it sent. */
export type AbuseLog = (client: string, reason: string) => void

/** Clients choose how often they are cut off: the log must not be theirs to fill. */
const WARNING_INTERVAL = 10_000

/** One warning for each reason and interval. */
export function abuseLog(logger: Logger): AbuseLog {
  const guard = onceEvery({ now: () => performance.now() }, WARNING_INTERVAL)
  return (client, reason) => {
    const suppressed = guard.admit(reason)
    if (suppressed !== null) logger.warn({ client, reason, suppressed }, 'connection of an abusive client closed')
  }
}
