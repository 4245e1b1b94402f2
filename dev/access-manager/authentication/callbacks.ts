import { createHmac, randomBytes } from 'node:crypto'
import { equalsConstantTime } from '#http'
import type { Clock } from '#schema'
import { BoundedMap } from '../state/bounded-map.ts'
import type { Credentials } from './logins.ts'

const LIFETIME = 5 * 60_000
const MOST_USED = 10_000

/** A login by callbacks: the server sends callbacks for name and password, the client returns them filled in. */
export class CallbackDialogue {
  readonly #clock: Clock
  readonly #key = randomBytes(32)
  readonly #used = new BoundedMap<string, true>(MOST_USED)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The callbacks. `authId` is signed, so that clients can not change it. */
  begin(realm: string): object {
    return {
      authId: this.ticket(realm),
      callbacks: [
        question('NameCallback', 'User Name', 'IDToken1', 0),
        question('PasswordCallback', 'Password', 'IDToken2', 1),
      ],
    }
  }

  /** A signed ticket for one submission. */
  ticket(realm: string): string {
    const claims = { realm, otk: randomBytes(12).toString('base64url'), exp: this.#clock.now() + LIFETIME }
    const content = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return `${content}.${this.#signature(content)}`
  }

  /** The credentials from the callbacks; rejects an `authId` that is forged, expired, of another realm or used. */
  read(body: Readonly<Record<string, unknown>>, realm: string): Credentials | 'refused' {
    const { authId, callbacks } = body
    if (typeof authId !== 'string' || !Array.isArray(callbacks) || !this.isFresh(authId, realm)) return 'refused'
    const name = inputOf(callbacks, 'NameCallback')
    const password = inputOf(callbacks, 'PasswordCallback')
    return name === undefined || password === undefined ? 'refused' : { name, password }
  }

  /** Whether a ticket is valid, for this realm and unused; marks it as used. */
  isFresh(authId: string, realm: string): boolean {
    const [content = '', signature = ''] = authId.split('.')
    if (!equalsConstantTime(this.#signature(content), signature) || this.#used.has(content)) return false
    this.#used.set(content, true)
    const claims = JSON.parse(Buffer.from(content, 'base64url').toString()) as { realm: string; exp: number }
    return claims.realm === realm && claims.exp > this.#clock.now()
  }

  #signature(content: string): string {
    return createHmac('sha256', this.#key).update(content).digest('base64url')
  }
}

function question(type: string, prompt: string, field: string, id: number): object {
  return { type, output: [{ name: 'prompt', value: prompt }], input: [{ name: field, value: '' }], _id: id }
}

function inputOf(callbacks: readonly unknown[], type: string): string | undefined {
  const callback = callbacks.find((item) => (item as { type?: unknown } | null)?.type === type)
  const value = (callback as { input?: { value?: unknown }[] } | undefined)?.input?.[0]?.value
  return typeof value === 'string' ? value : undefined
}
