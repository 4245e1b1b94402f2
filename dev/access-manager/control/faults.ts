import type { EndpointResponse } from '../http/endpoint-response.ts'

/** A fault of an endpoint. */
export interface Fault {
  /** Response status instead of that of the endpoint; without it the endpoint handles the request after the delay. */
  readonly status?: number
  /** Body of that response; a Common REST error by default. Text is sent unchanged. */
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
  /** Delay in milliseconds. */
  readonly delay?: number
  /** Closes the connection without a response. */
  readonly cut?: boolean
  /** Number of affected requests; all by default. */
  readonly times?: number
}

/** Requests that are held. */
export interface Hold {
  /** Resolves when the first request waits. */
  readonly arrived: Promise<void>
  /** Releases the held requests, and ends the hold. */
  release(): void
}

/** The connection is to be closed. */
export const CUT = Symbol('cut')

interface Standing {
  readonly fault: Fault
  left: number
}

/** Faults set by tests, by the name of the endpoint; `*` for all. */
export class Faults {
  readonly #faults = new Map<string, Standing>()
  readonly #holds = new Map<string, { readonly promise: Promise<void>; readonly arrive: () => void; release(): void }>()

  set(endpoint: string, fault: Fault): void {
    const times = fault.times ?? Number.POSITIVE_INFINITY
    if (fault.status !== undefined && !(fault.status >= 200 && fault.status <= 599))
      throw new Error(`fault of ${endpoint}: expected a status from 200 to 599, got ${fault.status}`)
    this.#faults.set(endpoint, { fault, left: times })
  }

  /** Removes the fault of an endpoint, or all faults. */
  clear(endpoint?: string): void {
    if (endpoint !== undefined) {
      this.#faults.delete(endpoint)
      this.#holds.get(endpoint)?.release()
      return
    }
    this.#faults.clear()
    for (const hold of [...this.#holds.values()]) hold.release()
  }

  hold(endpoint: string): Hold {
    const gate = Promise.withResolvers<void>()
    const first = Promise.withResolvers<void>()
    const release = (): void => {
      this.#holds.delete(endpoint)
      gate.resolve()
    }
    this.#holds.set(endpoint, { promise: gate.promise, arrive: first.resolve, release })
    return { arrived: first.promise, release }
  }

  /** Waits for the configured delay; resolves to the fault response, null for none. */
  async meet(endpoint: string): Promise<EndpointResponse | typeof CUT | null> {
    const hold = this.#holds.get(endpoint) ?? this.#holds.get('*')
    if (hold !== undefined) {
      hold.arrive()
      await hold.promise
    }
    const fault = this.#take(endpoint) ?? this.#take('*')
    if (fault === undefined) return null
    const { delay = 0 } = fault
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay).unref())
    if (fault.cut === true) return CUT
    if (fault.status === undefined) return null
    const { status, headers = {} } = fault
    const body = fault.body ?? { code: status, reason: 'Fault', message: 'as the test asked' }
    return { status, headers, body }
  }

  #take(endpoint: string): Fault | undefined {
    const standing = this.#faults.get(endpoint)
    if (standing === undefined) return undefined
    standing.left -= 1
    if (standing.left <= 0) this.#faults.delete(endpoint)
    return standing.fault
  }
}
