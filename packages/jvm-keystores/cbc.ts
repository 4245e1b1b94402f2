import { createDecipheriv } from 'node:crypto'
import { corrupt, wrongPassword } from './keystore-error.ts'
import { decryptRc2Cbc } from './rc2.ts'

/** Ciphers of keystores, all in CBC mode. */
export type Cipher = 'aes-128-cbc' | 'aes-192-cbc' | 'aes-256-cbc' | 'des-ede3-cbc' | 'rc2-cbc'

/** Decrypts and removes the padding; bad padding is the usual sign of a wrong password. */
export function decryptCbc(cipher: Cipher, ciphertext: Buffer, key: Buffer, iv: Buffer): Buffer {
  const block = cipher.startsWith('aes') ? 16 : 8
  if (iv.length !== block) throw corrupt(`an initialisation vector of ${iv.length} bytes, ${cipher} takes ${block}`)
  if (ciphertext.length === 0 || ciphertext.length % block !== 0) {
    throw corrupt(`encrypted content of ${ciphertext.length} bytes, expected a multiple of ${block}`)
  }
  const plain = cipher === 'rc2-cbc' ? decryptRc2Cbc(ciphertext, key, iv) : decryptNative(cipher, ciphertext, key, iv)
  const padding = plain.at(-1)!
  const padded = padding > 0 && padding <= block && plain.subarray(-padding).every((byte) => byte === padding)
  if (!padded) throw wrongPassword('the password is wrong, or the content was changed')
  return plain.subarray(0, -padding)
}

function decryptNative(cipher: string, ciphertext: Buffer, key: Buffer, iv: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, iv).setAutoPadding(false)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}
