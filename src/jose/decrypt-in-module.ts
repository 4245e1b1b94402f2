import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { ModuleKey } from '#contracts'
import type { EncryptedToken } from './compact.ts'
import { type EncryptionMethod, METHOD_BYTES } from './encryption-algorithms.ts'

/** The parts of RFC 7516 section 7.1 behind the header, and the header as it is authenticated. */
interface Parts {
  readonly protectedHeader: Buffer
  readonly encryptedKey: Buffer
  readonly iv: Buffer
  readonly ciphertext: Buffer
  readonly tag: Buffer
}

/**
 * Decrypts a token whose key a security module unwraps; null where it fails, for any reason but an unusable module. The caller
 * checks the algorithms in its header.
 */
export async function decryptInModule(token: EncryptedToken, key: ModuleKey): Promise<Buffer | null> {
  const parts = partsOf(token.text)
  const method = token.method as EncryptionMethod
  const contentKey = await key.decrypt(token.header.alg, parts.encryptedKey)
  if (contentKey === null || contentKey.length !== METHOD_BYTES[method]) return null
  try {
    return method.includes('GCM') ? openGcm(contentKey, parts) : openCbc(contentKey, parts)
  } catch {
    // The tag, the padding or a length is wrong.
    return null
  }
}

function partsOf(text: string): Parts {
  const [header, ...others] = text.split('.') as [string, ...string[]]
  const [encryptedKey, iv, ciphertext, tag] = others.map((part) => Buffer.from(part, 'base64url'))
  return {
    protectedHeader: Buffer.from(header, 'latin1'),
    encryptedKey: encryptedKey!,
    iv: iv!,
    ciphertext: ciphertext!,
    tag: tag!,
  }
}

/** RFC 7518 section 5.3. */
function openGcm(key: Buffer, { protectedHeader, iv, ciphertext, tag }: Parts): Buffer | null {
  if (iv.length !== 12 || tag.length !== 16) return null
  const cipher = key.length === 16 ? 'aes-128-gcm' : key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm'
  const decipher = createDecipheriv(cipher, key, iv, { authTagLength: 16 }).setAAD(protectedHeader).setAuthTag(tag)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}

/** RFC 7518 section 5.2.2.2: the first half of the key authenticates, the second decrypts. */
function openCbc(key: Buffer, { protectedHeader, iv, ciphertext, tag }: Parts): Buffer | null {
  const half = key.length / 2
  const bits = half * 8
  const headerBits = Buffer.alloc(8)
  headerBits.writeBigUInt64BE(BigInt(protectedHeader.length) * 8n)
  const expected = createHmac(`sha${bits * 2}`, key.subarray(0, half))
    .update(protectedHeader)
    .update(iv)
    .update(ciphertext)
    .update(headerBits)
    .digest()
    .subarray(0, half)
  if (iv.length !== 16 || tag.length !== half || !timingSafeEqual(tag, expected)) return null
  const decipher = createDecipheriv(`aes-${bits}-cbc`, key.subarray(half), iv)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}
