import type { CONTROL_CALLS } from '#contracts'
import type { Handlers, Remote } from '#rpc'
import type { KeptRecord, KeyValueStore } from '../key-value-store.ts'
import type { SUCCESSOR_CALLS } from './handover-calls.ts'

type StoreCalls = 'storeGet' | 'storeUpdate' | 'storeGetAndDelete' | 'storeGetOrCreate'

/** Characters of the records of one message. */
const PART = 1024 * 1024

/**
 * The key-value store of units. Once a successor has begun to copy it, the successor owns it: calls of units of this process are passed
 * on, and made here too, so that this process can go on where the successor fails.
 */
export class OwnedStore {
  readonly #store: KeyValueStore
  #successor: Remote<typeof SUCCESSOR_CALLS> | null = null
  /** Ids of records that are still to be copied. */
  #waiting: string[] = []

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Handlers of the calls of units. */
  get handlers(): Pick<Handlers<typeof CONTROL_CALLS>, StoreCalls> {
    const store = this.#store
    return {
      storeGet: (call) => this.#owned(store.get(call.space, call.key, call.lifetime), (to) => to.storeGet(call)),
      storeUpdate: ({ space, key, change, lifetime, ifPresent }) =>
        this.#owned(store.update(space, key, change, lifetime, ifPresent), (to) =>
          to.storeUpdate({ space, key, change, lifetime: sent(lifetime), ifPresent }),
        ),
      storeGetAndDelete: (call) =>
        this.#owned(store.getAndDelete(call.space, call.key), (to) => to.storeGetAndDelete(call)),
      storeGetOrCreate: ({ space, key, initial, lifetime }) =>
        this.#owned(store.getOrCreate(space, key, initial, lifetime), (to) =>
          to.storeGetOrCreate({ space, key, initial, lifetime: sent(lifetime) }),
        ),
    }
  }

  /** Handlers of the calls of a predecessor. */
  get successorHandlers(): Pick<Handlers<typeof SUCCESSOR_CALLS>, StoreCalls> {
    const store = this.#store
    return {
      storeGet: ({ space, key, lifetime }) => store.get(space, key, lifetime),
      storeUpdate: ({ space, key, change, lifetime, ifPresent }) =>
        store.update(space, key, change, received(lifetime), ifPresent),
      storeGetAndDelete: ({ space, key }) => store.getAndDelete(space, key),
      storeGetOrCreate: ({ space, key, initial, lifetime }) =>
        store.getOrCreate(space, key, initial, received(lifetime)),
    }
  }

  /** The successor begins to copy the records. */
  handOver(successor: Remote<typeof SUCCESSOR_CALLS>): void {
    this.#successor = successor
    this.#waiting = this.#store.ids
  }

  /** This process has the store alone again. */
  resume(): void {
    this.#successor = null
    this.#waiting = []
  }

  /** The next records to copy. Those that changed meanwhile were passed on too, and are as they are now. */
  next(): { readonly records: readonly KeptRecord[]; readonly isLast: boolean } {
    const records: KeptRecord[] = []
    for (let size = 0; size < PART && this.#waiting.length > 0; ) {
      const record = this.#store.kept(this.#waiting.pop() as string)
      if (record === null) continue
      records.push(record)
      size += JSON.stringify(record).length
    }
    return { records, isLast: this.#waiting.length === 0 }
  }

  keep(records: readonly KeptRecord[]): void {
    for (const record of records) this.#store.keep(record)
  }

  #owned<T>(own: T, ask: (successor: Remote<typeof SUCCESSOR_CALLS>) => Promise<T>): T | Promise<T> {
    const successor = this.#successor
    return successor === null ? own : ask(successor).catch(() => own)
  }
}

/** JSON has no infinity. */
function sent(lifetime: number): number | null {
  return Number.isFinite(lifetime) ? lifetime : null
}

function received(lifetime: number | null): number {
  return lifetime ?? Number.POSITIVE_INFINITY
}
