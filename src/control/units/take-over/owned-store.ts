import type { CONTROL_CALLS } from '#contracts'
import type { Handlers } from '#rpc'
import { type KeptRecord, type KeyValueStore, recordId } from '../../records/key-value-store.ts'
import type { STORE_NOTICES, StoreCall, StoreCalls } from './handover-calls.ts'
import type { Link } from './handover-link.ts'

/** Characters of the records of one message. */
const PART = 64 * 1024

/** A call of a unit that the owner has not executed yet. */
interface WaitingCall {
  readonly call: StoreCall
  resolve(result: unknown): void
}

/**
 * The key-value store of units. While another gateway takes over, it has a copy, and one of the two is the owner: it executes the calls
 * of both, and before it answers it tells the other, which repeats them in this order. So the copies are equal, and the other can go on
 * where the owner is killed. Calls of units of the other are answered when it repeats them.
 */
export class OwnedStore {
  readonly #store: KeyValueStore
  readonly #calls: { readonly [Name in keyof StoreCalls]: (argument: StoreCalls[Name]) => unknown }
  /** The gateway with the other copy; null without one. */
  #other: Link<typeof STORE_NOTICES> | null = null
  #isOwner = true
  /** Ids of records that the other has not yet. */
  #uncopied = new Set<string>()
  readonly #waiting = new Map<number, WaitingCall>()
  #asked = 0

  constructor(store: KeyValueStore) {
    this.#store = store
    this.#calls = {
      storeGet: ({ space, key, lifetime }) => store.get(space, key, lifetime),
      storeUpdate: ({ space, key, change, lifetime, ifPresent }) =>
        store.update(space, key, change, unlimited(lifetime), ifPresent),
      storeGetAndDelete: ({ space, key }) => store.getAndDelete(space, key),
      storeGetOrCreate: ({ space, key, initial, lifetime }) =>
        store.getOrCreate(space, key, initial, unlimited(lifetime)),
    }
  }

  /** Handlers of the calls of units. */
  get handlers(): Pick<Handlers<typeof CONTROL_CALLS>, keyof StoreCalls> {
    const perform = <Name extends keyof StoreCalls>(name: Name) => [
      name,
      (argument: StoreCalls[Name]) => this.#perform([name, argument] as unknown as StoreCall),
    ]
    return Object.fromEntries(Object.keys(this.#calls).map((name) => perform(name as keyof StoreCalls)))
  }

  /** Handlers of the messages of the other gateway. */
  get notices(): Handlers<typeof STORE_NOTICES> {
    return {
      records: (records) => {
        this.#expectOwner(false)
        for (const record of records) this.#store.keep(record)
      },
      asked: ({ number, call }) => {
        // One that has crossed the hand-over is executed by the other, which is the owner now.
        if (this.#isOwner) this.#settle(() => this.#execute(call, number))
      },
      executed: ({ number, call }) => {
        this.#expectOwner(false)
        const waiting = number === null ? undefined : this.#waiting.get(number)
        if (number !== null) this.#waiting.delete(number)
        this.#settle(() => this.#run(call), waiting)
      },
    }
  }

  /** Another gateway begins to copy the records. */
  copyTo(other: Link<typeof STORE_NOTICES>): void {
    this.#other = other
    this.#uncopied = new Set(this.#store.ids)
  }

  /** Sends the next records; true when the other has all. */
  copyPart(): boolean {
    const records: KeptRecord[] = []
    let size = 0
    for (const id of this.#uncopied) {
      if (size > PART) break
      this.#uncopied.delete(id)
      const record = this.#store.kept(id)
      if (record === null) continue
      records.push(record)
      size += JSON.stringify(record).length
    }
    this.#other?.remote.records(records)
    return this.#uncopied.size === 0
  }

  /** The other gateway has all records. */
  get isCopied(): boolean {
    return this.#other !== null && this.#uncopied.size === 0
  }

  /** This process gets its records from the owner. */
  copyFrom(owner: Link<typeof STORE_NOTICES>): void {
    this.#other = owner
    this.#isOwner = false
  }

  /** The other is the owner from now on. */
  give(): void {
    this.#isOwner = false
  }

  /** This process is the owner from now on, with the other, or alone. */
  own(other = this.#other): void {
    this.#other = other
    this.#uncopied.clear()
    this.#isOwner = true
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const each of waiting) this.#settle(() => this.#execute(each.call, null), each)
  }

  /** The owner can not be reached: what it has executed since is not known here, so that all calls fail. */
  lose(): void {
    this.#other = null
    for (const each of this.#waiting.values()) this.#settle(lost, each)
    this.#waiting.clear()
  }

  #perform(call: StoreCall): unknown {
    if (this.#isOwner) return this.#execute(call, null)
    const other = this.#other ?? lost()
    const number = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.#waiting.set(number, { call, resolve })
    other.remote.asked({ number, call })
    return promise
  }

  #execute(call: StoreCall, number: number | null): unknown {
    const [, { space, key }] = call
    const other = this.#uncopied.has(recordId(space, key)) ? null : this.#other
    other?.remote.executed({ number, call })
    const result = this.#run(call)
    const flushed = other?.flushed ?? null
    return flushed === null ? result : flushed.then(() => result)
  }

  #run([name, argument]: StoreCall): unknown {
    return (this.#calls[name] as (argument: unknown) => unknown)(argument)
  }

  /** A call that fails in one copy fails in the other, too. */
  #settle(execute: () => unknown, waiting?: WaitingCall): void {
    const result = Promise.try(execute)
    result.catch(() => {})
    waiting?.resolve(result)
  }

  #expectOwner(isOwner: boolean): void {
    if (this.#isOwner !== isOwner) throw new Error('a message for the other copy of the key-value store')
  }
}

function lost(): never {
  throw new Error('the other gateway has the key-value store, and can not be reached')
}

/** JSON has no infinity. */
function unlimited(lifetime: number | null): number {
  return lifetime ?? Number.POSITIVE_INFINITY
}
