import { Der } from './der.ts'
import { KeyStoreError, wrongPassword } from './keystore-error.ts'
import { Budget, checkLimit, limits } from './limits.ts'
import { readEncryption } from './password-encryption.ts'
import { type PasswordForm, passwordForms } from './pkcs12-password.ts'
import { isKeyInfo } from './private-key.ts'

/** Decrypts a PrivateKeyInfo, which may have a separate password. */
export type Sealed = (passwords: readonly PasswordForm[]) => Buffer

/** Decrypts the DER of an EncryptedPrivateKeyInfo of any source; its work is limited (threats B42). */
export function openEncryptedKey(encoded: Buffer, password: string): Buffer {
  checkLimit('bytes of an encrypted key', encoded.length, limits.secretBytes)
  return sealedKey(Der.read(encoded, new Budget()))(passwordForms(password))
}

/** EncryptedPrivateKeyInfo (RFC 5958 section 3). Decryption has a separate budget. */
export function sealedKey(content: Der): Sealed {
  const [algorithm, data] = content.sequence('encrypted key', 2, 2)
  const ciphertext = data!.octets('encrypted key')
  return (passwords) => {
    checkLimit('bytes of an encrypted key', ciphertext.length, limits.secretBytes)
    const decrypt = readEncryption(algorithm!)
    const budget = new Budget()
    for (const password of passwords) {
      const plain = openOrNothing(() => decrypt(ciphertext, password, budget))
      if (plain !== undefined && isKeyInfo(plain)) return plain
    }
    throw wrongPassword('the password is wrong; set the password of the entry')
  }
}

function openOrNothing<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof KeyStoreError) || error.code === 'GW_KEYSTORE_LIMIT') throw error
    return undefined
  }
}
