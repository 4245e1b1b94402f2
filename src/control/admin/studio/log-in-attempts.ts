import type { Clock } from '#schema'

/** Failed log-ins at once, and milliseconds after which one more is allowed. */
const PER_ADDRESS = { burst: 10, refill: 3_000 }

/** All addresses together: an IPv6 client has many. */
const IN_ALL = { burst: 200, refill: 100 }

const MAX_ADDRESSES = 1_000

interface Bucket {
  failures: number
  /** Time of `failures`. */
  at: number
}

/** Limits the rate of failed log-ins of an address and of all together. */
export class LogInAttempts {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #all: Bucket = { failures: 0, at: 0 }
  /** The least recent failure first. */
  readonly #byAddress = new Map<string, Bucket>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Milliseconds until this address may try again; 0 for now. */
  delay(address: string): number {
    const one = this.#byAddress.get(keyOf(address))
    return Math.max(this.#wait(this.#all, IN_ALL), one === undefined ? 0 : this.#wait(one, PER_ADDRESS))
  }

  failed(address: string): void {
    const key = keyOf(address)
    const bucket = this.#byAddress.get(key) ?? { failures: 0, at: this.#clock.monotonic() }
    this.#byAddress.delete(key)
    this.#byAddress.set(key, bucket)
    if (this.#byAddress.size > MAX_ADDRESSES) this.#byAddress.delete(this.#byAddress.keys().next().value as string)
    this.#drain(bucket, PER_ADDRESS)
    this.#drain(this.#all, IN_ALL)
    bucket.failures++
    this.#all.failures++
  }

  succeeded(address: string): void {
    this.#byAddress.delete(keyOf(address))
  }

  #wait(bucket: Bucket, limit: typeof PER_ADDRESS): number {
    this.#drain(bucket, limit)
    return bucket.failures < limit.burst ? 0 : Math.ceil((bucket.failures - limit.burst + 1) * limit.refill)
  }

  #drain(bucket: Bucket, { refill }: typeof PER_ADDRESS): void {
    const now = this.#clock.monotonic()
    bucket.failures = Math.max(0, bucket.failures - Math.max(0, now - bucket.at) / refill)
    bucket.at = now
  }
}

/** IPv6 networks are assigned as /64 at least. */
function keyOf(address: string): string {
  return address.includes(':') && !address.startsWith('::') ? address.split(':').slice(0, 4).join(':') : address
}
