import { isUtf8 } from 'node:buffer'
import { createSecretKey } from 'node:crypto'
import { decryptWithKey, parseToken } from '#jose'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import { decryptText } from '../../lib/messages/text-cipher.ts'

/** How the access manager encrypts the password. */
export type KeyType = 'AES' | 'DES'

/** Bytes of a key. */
const KEY_BYTES: Readonly<Record<KeyType, number>> = { AES: 32, DES: 8 }
/** Longer values are no passwords. */
const MAX_LENGTH = 16_384

/** The key in a secret: its bytes, or their base64; null where it has another length. */
export function passwordKey(secret: Buffer, type: KeyType): Buffer | null {
  const length = KEY_BYTES[type]
  if (secret.length === length) return secret
  const decoded = Buffer.from(secret.toString('latin1').trim(), 'base64')
  return decoded.length === length ? decoded : null
}

/** Decrypts the password; null where the key is another one, or the text is malformed. */
export async function decryptPassword(text: string, key: Buffer, type: KeyType): Promise<Buffer | null> {
  if (text.length > MAX_LENGTH) return null
  return type === 'DES' ? decryptDes(text, key) : decryptJwe(text, key)
}

/** DES without padding, in base64. The cipher detects no wrong key: its result is noise, which is no UTF-8 as a rule. */
function decryptDes(text: string, key: Buffer): Buffer | null {
  const password = decryptText(text, key, 'DES/ECB/NoPadding')
  return password !== null && password.length > 0 && isUtf8(password) ? password : null
}

/** A JWE with direct encryption by A128CBC-HS256; the password is its claim `password`, or its whole content. */
async function decryptJwe(text: string, key: Buffer): Promise<Buffer | null> {
  const token = parsed(text)
  if (token === null || token.form !== 'encrypted') return null
  if (token.header.alg !== 'dir' || token.method !== 'A128CBC-HS256') return null
  const content = await decryptWithKey(token, createSecretKey(key))
  return content === null ? null : passwordIn(content)
}

function parsed(text: string): ReturnType<typeof parseToken> | null {
  try {
    return parseToken(text)
  } catch {
    return null
  }
}

function passwordIn(content: Buffer): Buffer {
  try {
    const claims = parseJson(content.toString('utf8'), { depth: 4 })
    const password = isPlainObject(claims) ? (claims as JsonObject)['password'] : null
    if (typeof password === 'string') return Buffer.from(password)
  } catch {
    // Not JSON: the password itself.
  }
  return content
}
