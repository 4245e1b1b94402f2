import type { Clock } from '#schema'

/** Failed attempts at once, and milliseconds after which one more is allowed. */
interface Limit {
  readonly burst: number
  readonly refill: number
}

const PER_ADDRESS: Limit = { burst: 10, refill: 3_000 }

/** Programs with an old password fail often before it is noticed. */
export const API_LIMIT: Limit = { burst: 50, refill: 3_000 }

/** All addresses together: an IPv6 client has many. */
const IN_ALL: Limit = { burst: 200, refill: 100 }

const MAX_ADDRESSES = 1_000

interface Bucket {
  failures: number
  /** Time of `failures`. */
  at: number
}

/** Limits the rate of wrong passwords of an address and of all together. */
export class LogInAttempts {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #perAddress: Limit
  readonly #all: Bucket = { failures: 0, at: 0 }
  /** The least recent failure first. */
  readonly #byAddress = new Map<string, Bucket>()

  constructor(clock: Pick<Clock, 'monotonic'>, perAddress = PER_ADDRESS) {
    this.#clock = clock
    this.#perAddress = perAddress
  }

  /** Milliseconds until this address may try again; 0 for now. */
  delay(address: string): number {
    return Math.max(this.#wait(this.#all, IN_ALL), this.delayOfAddress(address))
  }

  /** The same without the failures of other addresses: the right credentials are not locked out by others. */
  delayOfAddress(address: string): number {
    const one = this.#byAddress.get(keyOf(address))
    return one === undefined ? 0 : this.#wait(one, this.#perAddress)
  }

  failed(address: string): void {
    const key = keyOf(address)
    const bucket = this.#byAddress.get(key) ?? { failures: 0, at: this.#clock.monotonic() }
    this.#byAddress.delete(key)
    this.#byAddress.set(key, bucket)
    if (this.#byAddress.size > MAX_ADDRESSES) this.#byAddress.delete(this.#byAddress.keys().next().value as string)
    this.#drain(bucket, this.#perAddress)
    this.#drain(this.#all, IN_ALL)
    bucket.failures++
    this.#all.failures++
  }

  succeeded(address: string): void {
    this.#byAddress.delete(keyOf(address))
  }

  #wait(bucket: Bucket, limit: Limit): number {
    this.#drain(bucket, limit)
    return bucket.failures < limit.burst ? 0 : Math.ceil((bucket.failures - limit.burst + 1) * limit.refill)
  }

  #drain(bucket: Bucket, { refill }: Limit): void {
    const now = this.#clock.monotonic()
    bucket.failures = Math.max(0, bucket.failures - Math.max(0, now - bucket.at) / refill)
    bucket.at = now
  }
}

/** IPv6 networks are assigned as /64 at least. */
function keyOf(address: string): string {
  return address.includes(':') && !address.startsWith('::') ? address.split(':').slice(0, 4).join(':') : address
}
