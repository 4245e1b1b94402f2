import type { Exchange } from '#http'
import type { TimeUnit } from './time-unit.ts'

/** Fields of a log entry about the request and its outcome. */
export function about(exchange: Exchange, outcome: number | string): Record<string, unknown> {
  return { ...exchange.ids, outcome }
}

/** Rounded to three decimals, the resolution of the clock. */
export function inUnit(milliseconds: number, unit: TimeUnit): number {
  return Math.round((milliseconds / unit.milliseconds) * 1_000) / 1_000
}
