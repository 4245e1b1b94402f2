import { type Cipher, decryptCbc } from './cbc.ts'
import type { Der } from './der.ts'
import { corrupt, unsupported } from './keystore-error.ts'
import type { Budget } from './limits.ts'
import { readIterations, readPbkdf2, readSalt } from './pbkdf2.ts'
import { derive, purpose, sha1 } from './pkcs12-kdf.ts'
import type { PasswordForm } from './pkcs12-password.ts'

const PBES2 = '1.2.840.113549.1.5.13'

/** The schemes of RFC 7292 appendix C; keys of two parts repeat the first as the third. */
const pkcs12Schemes: ReadonlyMap<string, { readonly cipher: Cipher; readonly keyLength: number }> = new Map([
  ['1.2.840.113549.1.12.1.3', { cipher: 'des-ede3-cbc', keyLength: 24 }],
  ['1.2.840.113549.1.12.1.4', { cipher: 'des-ede3-cbc', keyLength: 16 }],
  ['1.2.840.113549.1.12.1.5', { cipher: 'rc2-cbc', keyLength: 16 }],
  ['1.2.840.113549.1.12.1.6', { cipher: 'rc2-cbc', keyLength: 5 }],
])

const rc4Schemes: ReadonlySet<string> = new Set(['1.2.840.113549.1.12.1.1', '1.2.840.113549.1.12.1.2'])

const pbes2Ciphers: ReadonlyMap<string, { readonly cipher: Cipher; readonly keyLength: number }> = new Map([
  ['2.16.840.1.101.3.4.1.2', { cipher: 'aes-128-cbc', keyLength: 16 }],
  ['2.16.840.1.101.3.4.1.22', { cipher: 'aes-192-cbc', keyLength: 24 }],
  ['2.16.840.1.101.3.4.1.42', { cipher: 'aes-256-cbc', keyLength: 32 }],
  ['1.2.840.113549.3.7', { cipher: 'des-ede3-cbc', keyLength: 24 }],
])

/** Decrypts content with a password, by an AlgorithmIdentifier of the file. */
type Decryption = (ciphertext: Buffer, password: PasswordForm, budget: Budget) => Buffer

/** Reads the AlgorithmIdentifier of password-based encryption: the schemes of PKCS #12, or PBES2. */
export function readEncryption(algorithm: Der): Decryption {
  const [id, parameters] = algorithm.sequence('encryption', 1, 2)
  const name = id!.oid('encryption')
  if (rc4Schemes.has(name)) throw unsupported('encryption with RC4; write the keystore again with AES')
  const scheme = pkcs12Schemes.get(name)
  if (scheme === undefined && name !== PBES2) throw unsupported(`encryption ${name}; use PBES2 with AES-256-CBC`)
  if (parameters === undefined) throw corrupt('encryption: parameters are missing')
  return scheme === undefined ? readPbes2(parameters) : readPkcs12Scheme(scheme, parameters)
}

function readPkcs12Scheme(
  { cipher, keyLength }: { readonly cipher: Cipher; readonly keyLength: number },
  parameters: Der,
): Decryption {
  const [saltPart, iterationsPart] = parameters.sequence('encryption parameters', 2, 2)
  const salt = readSalt(saltPart!)
  const iterations = readIterations(iterationsPart!)
  return (ciphertext, { bmp }, budget) => {
    const from = { digest: sha1, password: bmp, salt, iterations }
    const derived = derive({ ...from, purpose: purpose.key, length: keyLength }, budget)
    const iv = derive({ ...from, purpose: purpose.iv, length: 8 }, budget)
    const key = cipher === 'des-ede3-cbc' ? Buffer.concat([derived, derived]).subarray(0, 24) : derived
    return decryptCbc(cipher, ciphertext, key, iv)
  }
}

/** RFC 8018 appendix A.4. */
function readPbes2(parameters: Der): Decryption {
  const [derivation, encryption] = parameters.sequence('PBES2 parameters', 2, 2)
  const pbkdf2 = readPbkdf2(derivation!)
  const [id, ivPart] = encryption!.sequence('PBES2 cipher', 1, 2)
  const name = id!.oid('PBES2 cipher')
  const known = pbes2Ciphers.get(name)
  if (known === undefined) throw unsupported(`PBES2 with cipher ${name}; use AES-256-CBC`)
  if (ivPart === undefined) throw corrupt('PBES2: the initialisation vector is missing')
  const iv = ivPart.octets('initialisation vector')
  const { cipher, keyLength } = known
  if (pbkdf2.keyLength !== null && pbkdf2.keyLength !== keyLength) {
    throw corrupt(`PBKDF2 key length: ${cipher} takes ${keyLength} bytes, found ${pbkdf2.keyLength}`)
  }
  return (ciphertext, { utf8 }, budget) => decryptCbc(cipher, ciphertext, pbkdf2.derive(utf8, keyLength, budget), iv)
}
