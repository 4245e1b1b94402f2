import { createHash, hash, timingSafeEqual } from 'node:crypto'
import { decryptCbc } from './cbc.ts'
import { Der } from './der.ts'
import { corrupt, unsupported, wrongPassword } from './keystore-error.ts'
import { Budget, checkLimit, limits } from './limits.ts'
import { readIterations, readSalt } from './pbkdf2.ts'
import { isKeyInfo } from './private-key.ts'

const SUN_KEY_PROTECTOR = '1.3.6.1.4.1.42.2.17.1.1'
const PBE_WITH_MD5_AND_TRIPLE_DES = '1.3.6.1.4.1.42.2.19.1'
const SHA1_BYTES = 20
const WRONG_PASSWORD = 'the password is wrong; set the password of the entry'

/** Decrypts a private key of a JKS or JCEKS file: an EncryptedPrivateKeyInfo with one of Sun's two proprietary schemes. */
export function openJavaKey(encoded: Buffer, password: string): Buffer {
  const budget = new Budget()
  const [algorithm, data] = Der.read(encoded, budget).sequence('encrypted key', 2, 2)
  const [id, parameters] = algorithm!.sequence('encryption of the key', 1, 2)
  const name = id!.oid('encryption of the key')
  const ciphertext = data!.octets('encrypted key')
  if (name === SUN_KEY_PROTECTOR) return openSunProtected(ciphertext, password)
  if (name !== PBE_WITH_MD5_AND_TRIPLE_DES) throw unsupported(`encryption ${name} of a private key`)
  if (parameters === undefined) throw corrupt('encryption of the key: parameters are missing')
  const plain = openTripleDes(ciphertext, parameters, password, budget)
  if (!isKeyInfo(plain)) throw wrongPassword(WRONG_PASSWORD)
  return plain
}

/** A password as Java's char array: UTF-16, big-endian. */
export function javaChars(password: string): Buffer {
  return Buffer.from(password, 'utf16le').swap16()
}

/** JKS: salt, key XOR a chain of SHA-1 over password and last digest, SHA-1 of password and key. */
function openSunProtected(data: Buffer, password: string): Buffer {
  if (data.length <= 2 * SHA1_BYTES) throw corrupt(`an encrypted key of ${data.length} bytes`)
  checkLimit('bytes of an encrypted key', data.length, limits.privateKeyBytes)
  const chars = javaChars(password)
  const plain = Buffer.from(data.subarray(SHA1_BYTES, -SHA1_BYTES))
  let link = data.subarray(0, SHA1_BYTES)
  for (let at = 0; at < plain.length; at++) {
    if (at % SHA1_BYTES === 0) link = createHash('sha1').update(chars).update(link).digest()
    plain[at] = plain[at]! ^ link[at % SHA1_BYTES]!
  }
  const check = createHash('sha1').update(chars).update(plain).digest()
  if (!timingSafeEqual(check, data.subarray(-SHA1_BYTES))) {
    throw wrongPassword(WRONG_PASSWORD)
  }
  return plain
}

/** PBEWithMD5AndTripleDES of Java: each half of the salt is hashed separately into half of key and IV. */
export function openTripleDes(ciphertext: Buffer, parameters: Der, password: string, budget: Budget): Buffer {
  const [saltPart, iterationsPart] = parameters.sequence('encryption parameters', 2, 2)
  const salt = readSalt(saltPart!)
  if (salt.length !== 8) throw corrupt(`a salt of ${salt.length} bytes, expected 8`)
  const iterations = readIterations(iterationsPart!)
  if (!/^[\x20-\x7e]*$/.test(password))
    throw wrongPassword('entry passwords of JCEKS are printable ASCII, this one is not')
  budget.spendHashes(2 * iterations)
  const halves = mixedSalt(salt)
  const material = Buffer.concat(
    [halves.subarray(0, 4), halves.subarray(4)].map((half) => stretched(half, password, iterations)),
  )
  return decryptCbc('des-ede3-cbc', ciphertext, material.subarray(0, 24), material.subarray(24))
}

/** MD5 of salt and password, then of the last MD5 and password, and so on. */
function stretched(half: Buffer, password: string, iterations: number): Buffer {
  const tail = Buffer.from(password, 'latin1')
  const input = Buffer.alloc(16 + tail.length)
  tail.copy(input, 16)
  let link: Buffer = hash('md5', Buffer.concat([half, tail]), 'buffer')
  for (let round = 1; round < iterations; round++) {
    input.set(link)
    link = hash('md5', input, 'buffer')
  }
  return link
}

/** Java reverses the first half where both are equal, so that they do not give the same bytes. */
function mixedSalt(salt: Buffer): Buffer {
  const first = salt.subarray(0, 4)
  return first.equals(salt.subarray(4)) ? Buffer.concat([first.toReversed(), salt.subarray(4)]) : salt
}
