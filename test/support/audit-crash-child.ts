import { AUDIT_WORDING } from '#audit'
// Adds records to a delivery with a spool, and writes the id of each to standard output 500 ms later; is killed in between.
import { Delivery, type Transport } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { PLAN, recordsOf } from './audit-destination.ts'

const [directory, maxEvents, fault] = process.argv.slice(2) as [string, string, 'down' | 'stalled']

const transport: Transport = {
  send: async () => {
    if (fault === 'down') throw new Error('down')
    await new Promise(() => {})
  },
  close: async () => {},
}
const plan = { ...PLAN, maxEvents: Number(maxEvents), spool: { directory, maxBytes: 64 << 20 } }
const logger = createLogger({ format: 'json', destination: memoryLog() })
const delivery = new Delivery(transport, plan, {
  logger,
  clock: systemClock,
  name: 'crash',
  wording: AUDIT_WORDING,
})

let next = 0
setInterval(() => {
  if (delivery.isFull) return
  const records = recordsOf(50, next)
  next += records.length
  delivery.add(records)
  setTimeout(() => process.stdout.write(records.map(({ id }) => `${id}\n`).join('')), 500)
}, 5)
