import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'
import { isPlainObject, type JsonValue, parseJson } from '#json'

const NONCE = 12
const TAG = 16
const NAME_BYTES = 16

/**
 * The fields of one session as Redis gets to see them. The key is made of the session's id, which only the client holds:
 * who reads or writes Redis can neither read a session nor make one up, and needs no id to guess from its name.
 */
export class SealedFields {
  /** The name of the session. */
  readonly record: string
  readonly #id: string
  readonly #contentKey: Buffer
  #nameKey: Buffer | null = null

  constructor(id: string) {
    this.record = `session:${hash('sha256', id, 'base64url')}`
    this.#id = id
    this.#contentKey = derived(id, 'content')
  }

  /** The name of a field, the same each time, so that it can be changed by itself. */
  name(field: string): string {
    this.#nameKey ??= derived(this.#id, 'names')
    return createHmac('sha256', this.#nameKey).update(field).digest().subarray(0, NAME_BYTES).toString('base64url')
  }

  seal(field: string, value: unknown): string {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', this.#contentKey, nonce)
    cipher.setAAD(Buffer.from(this.name(field)))
    const content = [cipher.update(JSON.stringify({ field, value }), 'utf8'), cipher.final()]
    return Buffer.concat([nonce, ...content, cipher.getAuthTag()]).toString('base64')
  }

  /** The field behind a name; null where it is not one that a holder of the id has sealed under that name. */
  open(name: string, sealed: string): { readonly field: string; readonly value: JsonValue } | null {
    const bytes = Buffer.from(sealed, 'base64')
    if (bytes.length < NONCE + TAG) return null
    try {
      const options = { authTagLength: TAG }
      const decipher = createDecipheriv('aes-256-gcm', this.#contentKey, bytes.subarray(0, NONCE), options)
      decipher.setAAD(Buffer.from(name))
      decipher.setAuthTag(bytes.subarray(-TAG))
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString()
      const content = parseJson(text)
      if (!isPlainObject(content) || typeof content['field'] !== 'string') return null
      return { field: content['field'], value: (content['value'] ?? null) as JsonValue }
    } catch {
      return null
    }
  }
}

/** An id is as random as a key, so that one step of a keyed digest makes a key of it. */
function derived(id: string, use: string): Buffer {
  return createHmac('sha256', id).update(`gateway session ${use}`).digest()
}
