import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { KeyValueStore } from '../../src/control/records/key-value-store.ts'
import type { RecordsPassed } from '../../src/control/units/take-over/handover-calls.ts'
import { OwnedStore } from '../../src/control/units/take-over/owned-store.ts'
import { Successors } from '../../src/control/units/take-over/successors.ts'

/** Of the gateway below. */
export const CONNECTOR = { host: '127.0.0.1', ports: [8080], secure: false }

/** Steps of a hand-over at which a process may be killed; `leave` follows the switch. */
export const STEPS = ['begin', 'some records', 'all records', 'freeze', 'give', 'leave'] as const

type Limits = ConstructorParameters<typeof Successors>[3]

/** A gateway that can be taken over, without ports; it logs in `steps` what it does for that. */
export class HandingOver implements Disposable {
  readonly log = memoryLog()
  readonly store = new OwnedStore(new KeyValueStore(systemClock))
  readonly steps: string[] = []
  readonly successors: Successors
  obstacle: string | null = null
  /** Passes audit events on, once files are frozen. */
  pass: RecordsPassed | null = null
  /** What happens while files are closed. */
  freezing: () => Promise<void> = async () => {}
  /** Called at each step. */
  onStep: (step: (typeof STEPS)[number]) => void = () => {}

  private constructor(path: string, limits: Limits) {
    const { store } = this
    const [copyPart, give] = [store.copyPart.bind(store), store.give.bind(store)]
    store.copyPart = () => {
      const isLast = copyPart()
      this.onStep(isLast ? 'all records' : 'some records')
      return isLast
    }
    store.give = () => {
      give()
      this.onStep('give')
    }
    this.successors = new Successors(path, this, createLogger({ destination: this.log }), limits)
  }

  static async listen(path: string, limits: Limits = {}): Promise<HandingOver> {
    const made = new HandingOver(path, limits)
    await made.successors.listen()
    return made
  }

  get running() {
    this.onStep('begin')
    return {
      pid: process.pid,
      version: '1.0.0',
      connectors: [CONNECTOR],
      adminHost: '127.0.0.1',
      adminPort: 8085,
      tickets: null,
      service: {},
    }
  }

  async freeze(pass: RecordsPassed): Promise<void> {
    this.steps.push('freeze')
    this.onStep('freeze')
    this.pass = pass
    await this.freezing()
  }

  resume(): void {
    this.steps.push('resume')
  }

  async leave(): Promise<void> {
    this.steps.push('leave')
    this.onStep('leave')
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

/** Records of a gateway that is killed: some longer than a part of the copy, and ids that may be used once. */
export const KEPT = 20
export const IDS = 1_000

/** Claims ids one after the other; calls back with each that this unit has got. */
export async function claimIds(store: OwnedStore, got: (id: number) => void): Promise<void> {
  const unit = unitOf(store)
  for (let id = 0; id < IDS; id++) {
    if ((await unit.claim(`once-${id}`)) !== null) got(id)
    if (id % 4 === 0) await new Promise(setImmediate)
  }
}
