import { DescriptorReserve } from '#contracts'
import { openFiles } from '#control'
import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'

/**
 * Warns where a gateway that has just started uses most of the limit of open files: each unit has several sockets for each port, so
 * that with many processors a usual limit may leave no connection at all.
 */
export function warnOfFewDescriptors(
  logger: Logger,
  open: number | null = openFiles(),
  reserve = new DescriptorReserve('traffic'),
): void {
  if (open === null || open <= reserve.limit / 2) return
  logger.warn({ limit: reserve.limit, open, connections: reserve.room(open) }, EVENTS.FEW_DESCRIPTORS)
}
