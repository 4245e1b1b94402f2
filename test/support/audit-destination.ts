import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { AUDIT_WORDING } from '#audit'
import { Delivery, type DeliveryEnv, type QueueBounds, type QueuedRecord, type Transport } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'

/** How a destination treats one call: a throw or a rejection is a failure. */
export type Treatment = (records: readonly QueuedRecord[], signal: AbortSignal) => Promise<void> | void

export const ACCEPT: Treatment = () => {}
export const STALL: Treatment = () => new Promise<never>(() => {})
export const REFUSE_CONNECTION: Treatment = () => {
  throw Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:61616'), { code: 'ECONNREFUSED' })
}

/** A peer of the delivery engine that behaves as a test says, and notes all that it gets. */
export class AuditDestination implements Transport {
  readonly accepted: QueuedRecord[] = []
  readonly calls: (readonly QueuedRecord[])[] = []
  treatment: Treatment
  closed = 0
  reopened = 0
  onClose: () => Promise<void> = async () => {}

  constructor(treatment: Treatment = ACCEPT) {
    this.treatment = treatment
  }

  get ids(): string[] {
    return this.accepted.map(({ id }) => id)
  }

  // Not async, so that a treatment that throws is a send that throws.
  send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    this.calls.push(records)
    const outcome = this.treatment(records, signal)
    if (outcome === undefined) {
      for (const record of records) this.accepted.push(record)
      return Promise.resolve()
    }
    return outcome.then(() => {
      for (const record of records) this.accepted.push(record)
    })
  }

  async reopen(): Promise<void> {
    this.reopened++
  }

  async close(): Promise<void> {
    this.closed++
    await this.onClose()
  }
}

export const PLAN: QueueBounds = {
  maxEvents: 100_000,
  maxBytes: 32 << 20,
  spool: null,
}

/** Short times, so that tests are quick. */
export const QUICK = { abortGrace: 5, shortestRetry: 1, longestRetry: 4, commitInterval: 5, closeGrace: 10_000 }

/** A delivery to a destination, closed at the end of its scope. */
export class StartedDelivery implements AsyncDisposable {
  readonly delivery: Delivery
  readonly destination: AuditDestination
  readonly #log = memoryLog()

  constructor(destination: AuditDestination, plan: Partial<QueueBounds> = {}, env: Partial<DeliveryEnv> = {}) {
    this.destination = destination
    const logger = createLogger({ format: 'json', destination: this.#log })
    const services = { logger, clock: systemClock, name: 'broker', wording: AUDIT_WORDING, timing: QUICK, ...env }
    this.delivery = new Delivery(destination, { ...PLAN, ...plan }, services)
  }

  /** Log entries of a code. */
  logged(code: string): Record<string, unknown>[] {
    return this.entries.filter((entry) => entry['code'] === code)
  }

  get entries(): Record<string, unknown>[] {
    return this.#log.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  get log(): string {
    return this.#log.lines.join('')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.delivery.close(0)
  }
}

export function recordOf(id: number | string, text = `{"_id":"${id}"}`, topic = 'access'): QueuedRecord {
  return { topic, id: String(id), text, time: Date.now() }
}

export function recordsOf(count: number, from = 0): QueuedRecord[] {
  return Array.from({ length: count }, (_, n) => recordOf(from + n))
}

export function idsOf(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, n) => String(from + n))
}

/** Waits until a condition holds, for a bounded time. */
export async function until(holds: () => boolean, what = String(holds)): Promise<void> {
  const end = Date.now() + 20_000
  while (!holds()) {
    assert.ok(Date.now() < end, `not reached: ${what}`)
    await wait(1)
  }
}
