import type { JsonObject } from '#json'
import { EtcdError } from './etcd-error.ts'
import { MalformedResponse } from './malformed-response.ts'
import type { MemberCalls } from './member-calls.ts'
import type { EtcdSettings } from './settings.ts'
import { textOf } from './wire.ts'

/** Time for which a refused password is not sent again: each check costs a member much CPU time. */
const REFUSED_PAUSE = 2_000

/** The token of the user, which all members accept. */
export class AuthTokens {
  readonly #username: string | null
  readonly #password: () => string | null
  readonly #members: MemberCalls
  /** Null while the cluster has no authentication. */
  #token: string | null = null
  #known = false
  #pending: Promise<string | null> | null = null
  #refused: { readonly password: string; readonly until: number; readonly error: EtcdError } | null = null

  constructor({ username, password }: EtcdSettings, members: MemberCalls) {
    this.#username = username
    this.#password = password
    this.#members = members
  }

  get isUsed(): boolean {
    return this.#username !== null
  }

  /** The token; null where none is needed. Concurrent callers share one authentication. */
  async get(origin: string): Promise<string | null> {
    if (this.#username === null) return null
    if (this.#known) return this.#token
    this.#pending ??= this.#authenticate(origin, this.#username).finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  /** A token other than the one that was refused. */
  renew(origin: string, refused: string | null): Promise<string | null> {
    if (refused === this.#token) this.#known = false
    return this.get(origin)
  }

  async #authenticate(origin: string, name: string): Promise<string | null> {
    const password = this.#password()
    if (password === null)
      throw new EtcdError('authentication', 'etcd: expected a password of the user, got none; check the secret')
    const refused = this.#refused
    if (refused !== null && refused.password === password && performance.now() < refused.until) throw refused.error
    try {
      this.#token = await this.#members.call(
        origin,
        { path: 'auth/authenticate', message: { name, password }, secrets: [password] },
        tokenIn,
      )
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error
      // The cluster has no authentication (yet): requests need no token.
      if (!/authentication is not enabled/.test(error.message)) throw this.#failed(error, password)
      this.#token = null
    }
    this.#refused = null
    this.#known = true
    return this.#token
  }

  #failed({ kind, message, endpoint }: EtcdError, password: string): EtcdError {
    // The request of the caller was not sent: nothing is uncertain.
    const error = new EtcdError(kind, message, { endpoint })
    if (kind === 'authentication') this.#refused = { password, until: performance.now() + REFUSED_PAUSE, error }
    return error
  }
}

function tokenIn(response: JsonObject): string {
  const token = textOf(response['token'], 'token')
  // It becomes a header field.
  if (!/^[\x21-\x7e]{1,8192}$/.test(token)) throw new MalformedResponse('token: expected a token, got another text')
  return token
}
