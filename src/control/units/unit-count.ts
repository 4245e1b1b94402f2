import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'

/** Whether several threads or processes can listen on one port. */
export function hasSharedPorts(): boolean {
  return ['linux', 'freebsd', 'sunos', 'aix'].includes(process.platform)
}

/** SO_REUSEPORT lets several threads listen on one port; without it there is one unit. */
export function unitCount(units: number, logger: Logger): { units: number; reusePort: boolean } {
  const reusePort = hasSharedPorts()
  if (reusePort || units === 1) return { units, reusePort }
  logger.warn({ platform: process.platform }, EVENTS.PORTS_NOT_SHARED)
  return { units: 1, reusePort }
}
