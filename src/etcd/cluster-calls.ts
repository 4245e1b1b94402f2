import type { JsonObject, JsonValue } from '#json'
import { AuthTokens } from './auth-tokens.ts'
import { Endpoints } from './endpoints.ts'
import { EtcdError } from './etcd-error.ts'
import { MemberCalls } from './member-calls.ts'
import { MemberRefusal } from './member-failure.ts'
import { type EtcdSettings, originsOf } from './settings.ts'

/** A request that any member can answer. */
interface ClusterRequest {
  /** Below `/v3/`. */
  readonly path: string
  readonly message: JsonValue
  /** Whether a second execution would be wrong: it is sent again only where the first one certainly did not happen. */
  readonly isWrite?: boolean
  readonly needsLeader?: boolean
}

/** Milliseconds after which a read is sent to another endpoint too. */
const SILENCE = 500

/** Reads of a client that may be at several endpoints at a time: a cluster that is slow by its load must not get all of them twice. */
const MAX_REPEATED = 16

type Outcome<T> = { readonly origin: string } & ({ readonly result: T } | { readonly error: unknown })

/** Reads a response of the endpoint; what it can not read is a MalformedResponse. */
type Decode<T> = (response: JsonObject, origin: string) => T

/** Requests to a cluster, with failover and authentication. They reject with an EtcdError only. */
export class ClusterCalls implements AsyncDisposable {
  readonly members: MemberCalls
  readonly tokens: AuthTokens
  readonly endpoints: Endpoints
  #repeated = 0

  constructor(settings: EtcdSettings) {
    this.endpoints = new Endpoints(originsOf(settings.endpoints), settings.random ?? Math.random)
    this.members = new MemberCalls(settings)
    this.tokens = new AuthTokens(settings, this.members)
  }

  /** Tries each endpoint once, the last good one first. */
  call<T>(request: ClusterRequest, decode: Decode<T>): Promise<T> {
    return request.isWrite === true ? this.#write(request, decode) : this.#read(request, decode)
  }

  async #write<T>(request: ClusterRequest, decode: Decode<T>): Promise<T> {
    const failures: EtcdError[] = []
    for (const origin of this.endpoints.inOrder()) {
      try {
        const result = await this.callMember(origin, request, decode)
        this.endpoints.answered(origin)
        return result
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error
        if (error.uncertain && error.kind !== 'no-space') {
          this.endpoints.failed(origin)
          throw unknownOutcome(error)
        }
        if (error.kind !== 'unavailable') throw error
        this.endpoints.failed(origin)
        failures.push(error)
      }
    }
    throw failedAll(failures)
  }

  /**
   * Asks the next endpoint too where one is silent, and takes the first answer. A member that is frozen or cut off is silent until
   * the time-out, and so is one of etcd 3.4 for reads that it got before it noticed the loss of the leader.
   */
  async #read<T>(request: ClusterRequest, decode: Decode<T>): Promise<T> {
    const failures: EtcdError[] = []
    const pending = new Map<string, Promise<Outcome<T>>>()
    const origins = this.endpoints.inOrder()
    let repeated = 0
    try {
      for (const [at, origin] of origins.entries()) {
        pending.set(origin, this.#outcome(origin, request, decode))
        const isLast = at === origins.length - 1
        do {
          const outcome = await firstOf(pending.values(), isLast ? null : () => this.#repeated < MAX_REPEATED)
          if (outcome === null) {
            this.#repeated++
            repeated++
            break
          }
          if ('result' in outcome) {
            this.endpoints.answered(outcome.origin)
            return outcome.result
          }
          if (!(outcome.error instanceof EtcdError && outcome.error.kind === 'unavailable')) throw outcome.error
          this.endpoints.failed(outcome.origin)
          failures.push(outcome.error)
          pending.delete(outcome.origin)
        } while (isLast && pending.size > 0)
      }
      throw failedAll(failures)
    } finally {
      this.#repeated -= repeated
    }
  }

  async #outcome<T>(origin: string, request: ClusterRequest, decode: Decode<T>): Promise<Outcome<T>> {
    try {
      return { origin, result: await this.callMember(origin, request, decode) }
    } catch (error) {
      return { origin, error }
    }
  }

  /** Asks one member; a token that is not valid any more is renewed once. */
  async callMember<T>(origin: string, request: ClusterRequest, decode: Decode<T>): Promise<T> {
    const token = await this.tokens.get(origin)
    const decodeOf = (response: JsonObject) => decode(response, origin)
    try {
      return await this.members.call(origin, { ...request, token }, decodeOf)
    } catch (error) {
      if (!(error instanceof MemberRefusal && error.renewsToken && this.tokens.isUsed)) throw error
      const renewed = await this.tokens.renew(origin, token)
      return await this.members.call(origin, { ...request, token: renewed }, decodeOf)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.members[Symbol.asyncDispose]()
  }
}

/** The first of the outcomes; null where all are silent for a while, and `mayRepeat` then allows to ask another endpoint. */
async function firstOf<T>(
  outcomes: Iterable<Promise<Outcome<T>>>,
  mayRepeat: (() => boolean) | null,
): Promise<Outcome<T> | null> {
  const first = Promise.race(outcomes)
  if (mayRepeat === null) return first
  const { promise: silence, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, SILENCE, null)
  const found = await Promise.race([first, silence])
  clearTimeout(timer)
  return found === null && !mayRepeat() ? first : found
}

function unknownOutcome(error: EtcdError): EtcdError {
  return new EtcdError('unknown-outcome', `${error.message}; whether the write was applied is unknown`, {
    endpoint: error.endpoint,
    uncertain: true,
    cause: error,
  })
}

function failedAll(failures: readonly EtcdError[]): EtcdError {
  const last = failures.at(-1)
  if (failures.length === 1 && last !== undefined) return last
  return new EtcdError('unavailable', failures.map(({ message }) => message).join('; '), {
    endpoint: last?.endpoint ?? null,
    cause: last,
  })
}
