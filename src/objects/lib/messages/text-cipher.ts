import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Secret } from '#contracts'

interface Cipher {
  /** OpenSSL's name for a key of this many bytes. */
  readonly names: Readonly<Record<number, string>>
  readonly isPadded: boolean
}

const AES = { 16: 'aes-128-ecb', 24: 'aes-192-ecb', 32: 'aes-256-ecb' }
// OpenSSL has DES only in its legacy provider: triple DES with three equal keys is the same cipher.
const DES = { 8: 'des-ede3' }
const TRIPLE_DES = { 24: 'des-ede3' }

/** Ciphers of texts in header fields by the names that Java has for them. */
const CIPHERS: Readonly<Record<string, Cipher>> = {
  'AES/ECB/PKCS5Padding': { names: AES, isPadded: true },
  'AES/ECB/NoPadding': { names: AES, isPadded: false },
  'DES/ECB/PKCS5Padding': { names: DES, isPadded: true },
  'DES/ECB/NoPadding': { names: DES, isPadded: false },
  'DESede/ECB/PKCS5Padding': { names: TRIPLE_DES, isPadded: true },
  'DESede/ECB/NoPadding': { names: TRIPLE_DES, isPadded: false },
}

/** Names of all ciphers. */
export const TEXT_CIPHERS: readonly string[] = Object.keys(CIPHERS)

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The key of a cipher in a secret: that of a key, the bytes of a password in base64, or its bytes; null where no length fits. */
export function textCipherKey(secret: Secret, algorithm: string): Buffer | null {
  const { names = {} } = CIPHERS[algorithm] ?? {}
  const fits = (key: Buffer) => Object.hasOwn(names, key.length)
  const bytes = secret.revealBytes()
  const text = bytes.toString('latin1').trim()
  const decoded = Buffer.from(text, 'base64')
  // A key of 16 bytes has 24 characters in base64, as many as another key has bytes.
  if (secret.kind === 'generic' && BASE64.test(text) && fits(decoded)) return decoded
  return fits(bytes) ? bytes : null
}

/** Decrypts a text in base64; null where it does not belong to the key. Zeros at the end of unpadded content are removed. */
export function decryptText(text: string, key: Buffer, algorithm: string): Buffer | null {
  const { names, isPadded } = CIPHERS[algorithm] as Cipher
  try {
    const decipher = createDecipheriv(names[key.length] as string, opensslKey(key), null).setAutoPadding(isPadded)
    const content = Buffer.concat([decipher.update(Buffer.from(text, 'base64')), decipher.final()])
    return isPadded ? content : withoutZeros(content)
  } catch {
    return null
  }
}

/** Encrypts content to base64; null where content without padding is no multiple of the block length. */
export function encryptText(content: Buffer, key: Buffer, algorithm: string): string | null {
  const { names, isPadded } = CIPHERS[algorithm] as Cipher
  try {
    const cipher = createCipheriv(names[key.length] as string, opensslKey(key), null).setAutoPadding(isPadded)
    return Buffer.concat([cipher.update(content), cipher.final()]).toString('base64')
  } catch {
    return null
  }
}

function opensslKey(key: Buffer): Buffer {
  return key.length === 8 ? Buffer.concat([key, key, key]) : key
}

function withoutZeros(content: Buffer): Buffer {
  let end = content.length
  while (end > 0 && content[end - 1] === 0) end -= 1
  return content.subarray(0, end)
}
