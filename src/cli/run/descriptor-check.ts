import { DescriptorReserve } from '#contracts'
import { openFiles } from '#control'
import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'

/**
 * Warns where a gateway that has just started uses most of the limit of open files: each unit has several sockets for each port, so
 * that with many processors a usual limit may leave few connections. Throws where it leaves none: the gateway would be ready,
 * and close every connection of its clients.
 */
export function checkDescriptors(
  logger: Logger,
  open: number | null = openFiles(),
  reserve = new DescriptorReserve('traffic'),
): void {
  const { limit } = reserve
  if (open === null || open <= limit / 2) return
  const connections = reserve.room(open)
  if (connections === 0) throw new Error(`EMFILE: ${open} of ${limit} are open, which leaves none for clients`)
  logger.warn({ limit, open, connections }, EVENTS.FEW_DESCRIPTORS)
}
