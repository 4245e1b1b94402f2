import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'
import { isPlainObject, type JsonValue, parseJson } from '#json'

const NONCE = 12
const TAG = 16
const NAME_BYTES = 16

/**
 * Encryption of the fields of one session in Redis. The key is derived from the session id, which only the client holds: with access
 * to Redis alone sessions can neither be read nor forged, and ids can not be derived from record names.
 */
export class SealedFields {
  /** Key of the record in Redis. */
  readonly record: string
  readonly #id: string
  readonly #contentKey: Buffer
  #nameKey: Buffer | null = null

  constructor(id: string) {
    this.record = `session:${hash('sha256', id, 'base64url')}`
    this.#id = id
    this.#contentKey = derived(id, 'content')
  }

  /** The encrypted name of a field: deterministic, so that a single field can be changed. */
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

  /** Decrypts a field; null where it was not encrypted with this id under this name. */
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

/** Derives a key by one HMAC: the id has the entropy of a key. */
function derived(id: string, use: string): Buffer {
  return createHmac('sha256', id).update(`gateway session ${use}`).digest()
}
