import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { Server } from 'node:tls'
import type { TicketSecrets } from '#contracts'

/** Where the tickets of a connector are valid. */
export interface TicketSource {
  readonly secrets: TicketSecrets
  /** Name of the connector, equal in all units; tickets of one are not valid at another. */
  readonly scope: string
}

/** Keys of one generation; sizes as in Node and OpenSSL: name 16 bytes, AES-128-CBC, HMAC with SHA-256. */
interface TicketKey {
  readonly name: Buffer
  readonly hmac: Buffer
  readonly aes: Buffer
}

/** Return values of OpenSSL's callback for ticket keys. */
const REFUSED = 0
const ACCEPTED = 1
const RENEWED = 2

const NO_KEY = Buffer.alloc(16)

type KeyAnswer = readonly [number, Buffer, Buffer, Buffer?, Buffer?]

/** The context of a server; Node has no public interface for more than one ticket key at a time (ADR 31). */
interface TicketContext {
  onticketkeycallback?: (name: Buffer, iv: Buffer, isNew: boolean) => KeyAnswer
  enableTicketKeyCallback(): void
}

/** Encrypts and decrypts the session tickets of a connector with keys that all units derive from shared secrets. */
export class SessionTickets {
  /** At most 32 bytes in OpenSSL. */
  readonly sessionIdContext: string
  readonly #secrets: TicketSecrets
  readonly #scope: string
  #current: { readonly generation: number; readonly key: TicketKey; readonly previous: TicketKey | null } | null = null

  constructor({ secrets, scope }: TicketSource) {
    this.#secrets = secrets
    this.#scope = scope
    this.sessionIdContext = createHash('sha256').update(scope).digest('hex').slice(0, 32)
  }

  /** Called after each change of the server's context. Contexts by SNI use the keys of the server's. */
  install(server: Server): void {
    const { context } = (server as unknown as { readonly _sharedCreds: { readonly context: TicketContext } })
      ._sharedCreds
    context.onticketkeycallback = (name, _iv, isNew) => (isNew ? this.#issue() : this.#find(name))
    context.enableTicketKeyCallback()
  }

  #issue(): KeyAnswer {
    const { key } = this.#keys()
    return [ACCEPTED, key.hmac, key.aes, key.name, randomBytes(16)]
  }

  #find(name: Buffer): KeyAnswer {
    const { key, previous } = this.#keys()
    if (name.equals(key.name)) return [ACCEPTED, key.hmac, key.aes]
    if (previous !== null && name.equals(previous.name)) return [RENEWED, previous.hmac, previous.aes]
    return [REFUSED, NO_KEY, NO_KEY]
  }

  #keys(): { readonly key: TicketKey; readonly previous: TicketKey | null } {
    const { generation } = this.#secrets
    if (this.#current?.generation === generation) return this.#current
    const secret = this.#secrets.copy(generation)
    // Rotated twice within these lines: the next read finds a valid one.
    if (secret === null) return this.#keys()
    const previous = this.#secrets.copy(generation - 1)
    this.#current = {
      generation,
      key: this.#derive(secret),
      previous: previous === null ? null : this.#derive(previous),
    }
    return this.#current
  }

  #derive(secret: Buffer): TicketKey {
    const bytes = Buffer.from(hkdfSync('sha256', secret, '', `TLS session tickets, ${this.#scope}`, 64))
    secret.fill(0)
    return { name: bytes.subarray(0, 16), aes: bytes.subarray(16, 32), hmac: bytes.subarray(32) }
  }
}
