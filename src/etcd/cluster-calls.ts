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

/** Reads a response of the endpoint; what it can not read is a MalformedResponse. */
type Decode<T> = (response: JsonObject, origin: string) => T

/** Requests to a cluster, with failover and authentication. They reject with an EtcdError only. */
export class ClusterCalls implements AsyncDisposable {
  readonly members: MemberCalls
  readonly tokens: AuthTokens
  readonly endpoints: Endpoints

  constructor(settings: EtcdSettings) {
    this.endpoints = new Endpoints(originsOf(settings.endpoints), settings.random ?? Math.random)
    this.members = new MemberCalls(settings)
    this.tokens = new AuthTokens(settings, this.members)
  }

  /** Tries each endpoint once, the last good one first. */
  async call<T>(request: ClusterRequest, decode: Decode<T>): Promise<T> {
    const failures: EtcdError[] = []
    for (const origin of this.endpoints.inOrder()) {
      try {
        const result = await this.callMember(origin, request, decode)
        this.endpoints.answered(origin)
        return result
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error
        if (request.isWrite === true && error.uncertain && error.kind !== 'no-space') {
          this.endpoints.failed(origin)
          throw unknownOutcome(error)
        }
        if (error.kind !== 'unavailable') throw error
        this.endpoints.failed(origin)
        failures.push(error)
      }
    }
    throw failures.length === 1 ? failures[0]! : allFailed(failures)
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

function unknownOutcome(error: EtcdError): EtcdError {
  return new EtcdError('unknown-outcome', `${error.message}; whether the write was applied is unknown`, {
    endpoint: error.endpoint,
    uncertain: true,
    cause: error,
  })
}

function allFailed(failures: readonly EtcdError[]): EtcdError {
  const last = failures.at(-1)
  return new EtcdError('unavailable', failures.map(({ message }) => message).join('; '), {
    endpoint: last?.endpoint ?? null,
    cause: last,
  })
}
