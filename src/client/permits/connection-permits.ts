import { PermitTable } from '#contracts'
import type { PermitMemory, PermitStore } from '#schema'

/** A pool of connections to the server of the permits. */
export interface PermitUser {
  /** Connections that its calls wait for and that are not being opened. */
  readonly lacking: number
  /** Its established connections. */
  readonly connected: number
  /** Tries to open the connections that lack. */
  grow(): void
  /** Closes an idle connection; false without one. */
  closeIdle(): boolean
  /** Closes a connection after its active requests, without further ones. */
  retireOne(): void
}

/** Milliseconds after which a unit that waits checks again: another that crashed may not have sent its signal. */
const CHECK_INTERVAL = 250
/** Milliseconds for which the permits outlive their last pool: another unit may be about to hand one over. */
const LINGER_TIME = 1_000
const RETRY_DELAY = 1_000

/** Permits of a thread without other units. */
const THREAD_STORE: PermitStore = {
  open: (_key, permits) => {
    return { memory: new SharedArrayBuffer(PermitTable.bytes(1, permits)), units: 1, unit: 0, release: () => {} }
  },
}

const opened = new WeakMap<PermitStore, Map<string, ConnectionPermits>>()

/** The permits of a key for one more pool of this unit. */
export function joinPermits(
  store: PermitStore | null,
  key: string,
  permits: number,
  user: PermitUser,
): ConnectionPermits {
  const source = store ?? THREAD_STORE
  const known = opened.get(source) ?? new Map<string, ConnectionPermits>()
  opened.set(source, known)
  let joined = known.get(key)
  if (joined === undefined) {
    joined = new ConnectionPermits(
      () => source.open(key, permits),
      () => known.delete(key),
    )
    known.set(key, joined)
  }
  joined.join(user)
  return joined
}

/**
 * The permits of this unit for connections to one server. `connections` bounds the pools of all units together: a pool opens
 * a connection only with a permit, which it releases when the connection is closed. While requests of another unit wait,
 * idle connections are closed, and busy ones after a response where the other unit has fewer permits.
 */
export class ConnectionPermits {
  readonly #users = new Set<PermitUser>()
  readonly #onClose: () => void
  #memory: PermitMemory | null = null
  #table: PermitTable | null = null
  /** Permits that were handed over, and have no connection yet. */
  #spare = 0
  #demand = 0
  #isYielding = false
  #isMakingRoom = false
  #isClosed = false
  #checks: NodeJS.Timeout | undefined
  #linger: NodeJS.Timeout | undefined

  constructor(open: () => PermitMemory | Promise<PermitMemory>, onClose: () => void) {
    this.#onClose = onClose
    const memory = open()
    if (memory instanceof Promise) void this.#openLater(memory, open)
    else this.#opened(memory)
  }

  join(user: PermitUser): void {
    clearTimeout(this.#linger)
    this.#users.add(user)
  }

  /** The pool has closed its connections. */
  leave(user: PermitUser): void {
    this.#users.delete(user)
    this.lackingChanged()
    if (this.#users.size === 0) this.#closeLater()
  }

  /** Whether a permit could be acquired now. */
  get isAvailable(): boolean {
    return this.#table === null || this.#spare > 0 || this.#table.hasFree
  }

  /** Takes a permit for one connection. */
  acquire(): boolean {
    if (this.#table === null) return false
    if (this.#spare === 0) return this.#table.acquire()
    this.#spare--
    return true
  }

  /** `connected` of a pool has changed. */
  connectedChanged(): void {
    let sum = 0
    for (const user of this.#users) sum += user.connected
    this.#table?.setConnected(sum)
  }

  /** Whether the server has accepted a connection of any unit. */
  get anyConnected(): boolean {
    // A control thread that is busy has not opened the table yet: nothing is known of the server.
    return this.#table?.anyConnected ?? true
  }

  /** A connection is closed, or could not be opened. */
  release(): void {
    this.connectedChanged()
    const isWanted = this.#lacking > 0
    this.#table!.release(isWanted)
    if (isWanted) this.#grow()
    else this.#yieldToOthers()
  }

  /** Whether a connection is closed after its request, although requests of this unit wait for it. */
  get mustGiveUpOne(): boolean {
    return this.#table?.mustGiveUpOne ?? false
  }

  /** Whether idle connections are closed. */
  get othersWait(): boolean {
    return this.#table?.othersWait ?? false
  }

  /** `lacking` of a pool may have changed. */
  lackingChanged(): void {
    const lacking = this.#lacking
    if (lacking === this.#demand) return
    this.#demand = lacking
    this.#table?.setDemand(lacking)
    if (lacking === 0) {
      clearInterval(this.#checks)
      this.#checks = undefined
      return
    }
    this.#checks ??= setInterval(() => this.#check(), CHECK_INTERVAL).unref()
    // Idle connections of another pool, or of another version of HTTP. Each that closes may change the number again.
    if (this.#isMakingRoom) return
    this.#isMakingRoom = true
    while (this.#lacking > 0 && this.#closeIdle());
    this.#isMakingRoom = false
    // A permit may have become free before the other units saw the number that is wanted.
    if (this.#lacking > 0 && this.#table?.hasFree) this.#grow()
  }

  get #lacking(): number {
    let sum = 0
    for (const user of this.#users) sum += user.lacking
    return sum
  }

  #grow(): void {
    for (const user of this.#users) if (user.lacking > 0) user.grow()
    this.lackingChanged()
  }

  #closeIdle(): boolean {
    for (const user of this.#users) if (user.closeIdle()) return true
    return false
  }

  #check(): void {
    // A control thread that is busy has not opened the table yet.
    if (this.#table === null) return
    this.#table.setDemand(this.#demand)
    this.#table.signalHolders()
    this.#adoptGranted(this.#table)
  }

  /** Uses the permits that other units handed over; those that are no longer wanted go to the next unit. */
  #adoptGranted(table: PermitTable): void {
    this.#spare += table.adoptGranted()
    this.#grow()
    for (; this.#spare > 0; this.#spare--) table.release()
    this.#yieldToOthers()
  }

  #yieldToOthers(): void {
    if (this.#isYielding) return
    this.#isYielding = true
    while (this.othersWait && this.#closeIdle());
    if (this.mustGiveUpOne) for (const user of this.#users) user.retireOne()
    this.#isYielding = false
  }

  async #openLater(memory: Promise<PermitMemory>, open: () => PermitMemory | Promise<PermitMemory>): Promise<void> {
    for (let pending = memory; ; pending = Promise.resolve(open())) {
      try {
        this.#opened(await pending)
        return
      } catch {
        // The control thread is busy; requests that wait get 503 in time.
        if (this.#isClosed) return
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY).unref())
      }
    }
  }

  #opened(memory: PermitMemory): void {
    if (this.#isClosed) {
      memory.release()
      return
    }
    this.#memory = memory
    this.#table = new PermitTable(memory.memory, memory.units, memory.unit)
    if (memory.units > 1) void this.#listen(this.#table)
    this.#table.setDemand(this.#demand)
    this.#grow()
  }

  async #listen(table: PermitTable): Promise<void> {
    while (!this.#isClosed) {
      const { signal } = table
      this.#adoptGranted(table)
      await table.signalChanged(signal)
    }
  }

  #closeLater(): void {
    this.#linger = setTimeout(() => {
      // A connection that was being opened when its pool was closed.
      if (this.#table !== null && this.#table.held > 0) this.#closeLater()
      else this.#close()
    }, LINGER_TIME).unref()
  }

  #close(): void {
    this.#isClosed = true
    this.#onClose()
    this.#table?.releaseAll()
    this.#table?.wake()
    this.#memory?.release()
  }
}
