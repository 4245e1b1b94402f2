import type { Exchange } from '#http'
import type { TimeUnit } from './time-unit.ts'

/** What an entry says of the request, and of what came out. */
export function about(exchange: Exchange, outcome: number | string): Record<string, unknown> {
  return { transactionId: exchange.transactionId.value, outcome }
}

/** Three decimals: more than the clock knows would be noise. */
export function inUnit(milliseconds: number, unit: TimeUnit): number {
  return Math.round((milliseconds / unit.milliseconds) * 1_000) / 1_000
}
