import { createHash } from 'node:crypto'
import { type FilesPlan, openTransport } from '#audit'
import type { QueuedRecord, Transport, TransportEnv } from '#durable-queue'
import type { TransportPlan } from '#schema'

/** Passes events of files to another process; false where that does not write them. */
export type RecordsPassed = (files: string, records: readonly QueuedRecord[]) => Promise<boolean>

/** The files that one handler alone writes: those of a folder with an extension; undefined for another transport. */
export function exclusiveFiles({ exclusive, extension }: TransportPlan & Partial<FilesPlan>): string | undefined {
  return exclusive === undefined ? undefined : `${exclusive}/*${extension}`
}

/** A process that has the files that only one process may write. */
export interface OtherProcess {
  /** Resolves when it has closed them. */
  readonly filesReleased?: Promise<void>
  /** It writes them from now on. */
  readonly pass?: RecordsPassed
}

interface OpenedTransport {
  readonly fingerprint: string
  readonly transport: Promise<Transport>
}

/**
 * The transport of a handler whose settings may change while events wait: opened for the first batch, and replaced between two
 * batches. Events that wait are not lost with a new version of the route.
 */
export class CurrentTransport implements Transport {
  readonly #env: TransportEnv
  #plan: TransportPlan
  #fingerprint: string
  /** Set before anything is awaited: two transports of one plan would write to one file. */
  #opened: OpenedTransport | null = null
  readonly #filesReleased: Promise<void> | undefined
  #pass: RecordsPassed | null = null
  /** Those of the transport that was opened last. */
  batchLimits: Transport['batchLimits']

  constructor(plan: TransportPlan, env: TransportEnv, { filesReleased, pass }: OtherProcess = {}) {
    this.#env = env
    this.#filesReleased = filesReleased
    this.#pass = pass ?? null
    this.#plan = plan
    this.#fingerprint = fingerprintOf(plan)
    // Files of an earlier process are continued at once: the end of a chain of lines is signed, and leftovers are removed.
    if (plan.type === 'file' && pass === undefined) void this.#current().catch(() => {})
  }

  /** Sends later batches by another plan. */
  use(plan: TransportPlan): void {
    this.#plan = plan
    this.#fingerprint = fingerprintOf(plan)
  }

  /** Whether only one process may write its file. */
  get isExclusive(): boolean {
    return this.#plan.exclusive !== undefined
  }

  /** Another process writes the file from now on. */
  async handOver(pass: RecordsPassed): Promise<void> {
    this.#pass = pass
    await this.close()
  }

  async send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    const files = exclusiveFiles(this.#plan)
    if (this.#pass !== null && files !== undefined) {
      const plain = records.map(({ topic, id, text, time }) => ({ topic, id, text, time }))
      if (await this.#pass(files, plain)) return
      // The other process has no such handler.
      this.#pass = null
    }
    const transport = await this.#current()
    await transport.send(records, signal)
  }

  async reopen(): Promise<void> {
    const transport = await this.#opened?.transport
    await transport?.reopen?.()
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = null
    await closeTransport(opened)
  }

  #current(): Promise<Transport> {
    const last = this.#opened
    if (last !== null && last.fingerprint === this.#fingerprint) return last.transport
    const opened = { fingerprint: this.#fingerprint, transport: this.#open(last, this.#plan) }
    this.#opened = opened
    // The next batch tries again.
    opened.transport.catch(() => {
      if (this.#opened === opened) this.#opened = null
    })
    return opened.transport
  }

  async #open(last: OpenedTransport | null, plan: TransportPlan): Promise<Transport> {
    await closeTransport(last)
    if (plan.exclusive !== undefined) await this.#filesReleased
    const transport = await openTransport(plan, this.#env)
    this.batchLimits = transport.batchLimits
    return transport
  }
}

async function closeTransport(opened: OpenedTransport | null): Promise<void> {
  const transport = await opened?.transport.catch(() => null)
  await transport?.close()
}

/** A digest: plans hold secrets, which are not copied. */
function fingerprintOf(plan: TransportPlan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('base64')
}
