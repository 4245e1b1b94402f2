import { Der } from './der.ts'
import { KeyStoreError, wrongPassword } from './keystore-error.ts'
import { Budget, checkLimit, limits } from './limits.ts'
import { readEncryption } from './password-encryption.ts'
import { type PasswordForm, passwordForms } from './pkcs12-password.ts'
import { readKeyInfo } from './private-key.ts'

/** A PrivateKeyInfo that may be under a password of its own. */
export type Sealed = (passwords: readonly PasswordForm[]) => Buffer

/** Opens the DER of an EncryptedPrivateKeyInfo, however it came; the work it may ask for is bounded (threats B42). */
export function openEncryptedKey(encoded: Buffer, password: string): Buffer {
  checkLimit('bytes of an encrypted key', encoded.length, limits.secretBytes)
  return sealedKey(Der.read(encoded, new Budget()))(passwordForms(password))
}

/** EncryptedPrivateKeyInfo (RFC 5958 section 3). Opening it is paid from a budget of its own. */
export function sealedKey(content: Der): Sealed {
  const [algorithm, data] = content.sequence('encrypted key', 2, 2)
  const ciphertext = data!.octets('encrypted key')
  return (passwords) => {
    checkLimit('bytes of an encrypted key', ciphertext.length, limits.secretBytes)
    const decrypt = readEncryption(algorithm!)
    const budget = new Budget()
    for (const password of passwords) {
      const plain = openOrNothing(() => decrypt(ciphertext, password, budget))
      // Bad padding is missed once in 256 times; a key that parses is the proof.
      if (plain !== undefined && openOrNothing(() => readKeyInfo(plain)) !== undefined) return plain
    }
    throw wrongPassword('the password does not open it; give the password of the entry')
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
