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
  /** Addresses of log-ins, the least recent first: failures of others do not lock them out. */
  readonly #succeeded = new Set<string>()

  constructor(clock: Pick<Clock, 'monotonic'>, perAddress = PER_ADDRESS) {
    this.#clock = clock
    this.#perAddress = perAddress
  }

  /** Milliseconds until this address may try again; 0 for now. */
  delay(address: string): number {
    const isKnown = this.#succeeded.has(keyOf(address))
    return Math.max(isKnown ? 0 : this.#wait(this.#all, IN_ALL), this.delayOfAddress(address))
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
    const key = keyOf(address)
    this.#byAddress.delete(key)
    this.#succeeded.delete(key)
    this.#succeeded.add(key)
    if (this.#succeeded.size > MAX_ADDRESSES) this.#succeeded.delete(this.#succeeded.keys().next().value as string)
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

/** The /64 of an IPv6 address, since networks are assigned as /64 at least; other addresses as they are. */
function keyOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}
