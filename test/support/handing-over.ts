import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import type { RecordsPassed } from '../../src/control/audit/current-transport.ts'
import { KeyValueStore } from '../../src/control/key-value-store.ts'
import { OwnedStore } from '../../src/control/take-over/owned-store.ts'
import { Successors } from '../../src/control/take-over/successors.ts'

/** Of the gateway below. */
export const CONNECTOR = { host: '127.0.0.1', ports: [8080], secure: false }

type Limits = ConstructorParameters<typeof Successors>[3]

/** A gateway that can be taken over, without ports; it logs in `steps` what it does for that. */
export class HandingOver implements Disposable {
  readonly log = memoryLog()
  readonly store = new OwnedStore(new KeyValueStore(systemClock))
  readonly steps: string[] = []
  readonly running = {
    pid: process.pid,
    version: '1.0.0',
    connectors: [CONNECTOR],
    adminHost: '127.0.0.1',
    adminPort: 8085,
    tickets: null,
    service: {},
  }
  readonly successors: Successors
  obstacle: string | null = null
  /** Passes audit events on, once files are frozen. */
  pass: RecordsPassed | null = null
  /** What happens while files are closed. */
  freezing: () => Promise<void> = async () => {}

  private constructor(path: string, limits: Limits) {
    this.successors = new Successors(path, this, createLogger({ destination: this.log }), limits)
  }

  static async listen(path: string, limits: Limits = {}): Promise<HandingOver> {
    const made = new HandingOver(path, limits)
    await made.successors.listen()
    return made
  }

  async freeze(pass: RecordsPassed): Promise<void> {
    this.steps.push('freeze')
    this.pass = pass
    await this.freezing()
  }

  resume(): void {
    this.steps.push('resume')
  }

  async leave(): Promise<void> {
    this.steps.push('leave')
  }

  [Symbol.dispose](): void {
    this.successors[Symbol.dispose]()
  }
}

const context = { signal: new AbortController().signal }

/** A unit that uses a store: its calls, and what became of them. */
export function unitOf(store: OwnedStore) {
  const calls = store.handlers
  const lifetime = 60_000
  return {
    get: async (key: string) => plain(await calls.storeGet({ space: 'sessions', key, lifetime }, context)),
    set: async (key: string, set: Record<string, unknown>) =>
      calls.storeUpdate({ space: 'sessions', key, change: { set }, lifetime, ifPresent: false }, context),
    change: async (key: string, set: Record<string, unknown>) =>
      calls.storeUpdate({ space: 'sessions', key, change: { set }, lifetime, ifPresent: true }, context),
    /** Of an id that may be used once. */
    claim: async (key: string) => plain(await calls.storeGetAndDelete({ space: 'sessions', key }, context)),
    /** The first value that a unit has set. */
    first: async (key: string, initial: Record<string, unknown>, limit = lifetime) =>
      plain(await calls.storeGetOrCreate({ space: 'keys', key, initial, lifetime: limit }, context)),
    revoke: async (key: string) =>
      calls.storeUpdate({ space: 'revocations', key, change: { set: { at: 1 } }, lifetime, ifPresent: false }, context),
    isRevoked: async (key: string) =>
      (await calls.storeGet({ space: 'revocations', key, lifetime: null }, context)) !== null,
  }
}

/** Records have no prototype. */
function plain(record: Readonly<Record<string, unknown>> | null): Record<string, unknown> | null {
  return record === null ? null : { ...record }
}
