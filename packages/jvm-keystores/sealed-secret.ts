import { ByteReader } from './byte-reader.ts'
import { Der } from './der.ts'
import { openTripleDes } from './java-key-protection.ts'
import { type JavaObject, readJavaObject } from './java-serialization.ts'
import { corrupt, KeyStoreError, unsupported, wrongPassword } from './keystore-error.ts'
import { Budget } from './limits.ts'

const SCHEME = 'PBEWithMD5AndTripleDES'
const sealedClasses: ReadonlySet<string> = new Set([
  'com.sun.crypto.provider.SealedObjectForKeyProtector',
  'javax.crypto.SealedObject',
])

/** Decrypts a secret key of a JCEKS file: a javax.crypto.SealedObject with a serialised key. */
export function openSealedSecret(sealed: JavaObject, password: string): { algorithm: string; bytes: Buffer } {
  if (!sealedClasses.has(sealed.className)) throw corrupt('secret key: expected a sealed object')
  const scheme = textOf(sealed, 'sealAlg')
  if (scheme !== SCHEME || textOf(sealed, 'paramsAlg') !== SCHEME) {
    throw unsupported(`a secret key that is not sealed with ${SCHEME}`)
  }
  const budget = new Budget()
  const parameters = Der.read(bytesOf(sealed, 'encodedParams'), budget)
  const plain = openTripleDes(bytesOf(sealed, 'encryptedContent'), parameters, password, budget)
  return keyOf(readOpened(plain))
}

/** A wrong password gives valid padding once in 256 times, but no valid object. */
function readOpened(plain: Buffer): JavaObject {
  const reader = new ByteReader(plain)
  try {
    const key = readJavaObject(reader)
    if (reader.left > 0) throw corrupt('secret key: bytes follow its end')
    return key
  } catch (error) {
    if (!(error instanceof KeyStoreError) || error.code !== 'GW_KEYSTORE_CORRUPT') throw error
    throw wrongPassword('the password is wrong; set the password of the entry')
  }
}

/** Java serialises a plain key as SecretKeySpec, and keys of its own classes as KeyRep. */
function keyOf(key: JavaObject): { algorithm: string; bytes: Buffer } {
  if (key.className === 'javax.crypto.spec.SecretKeySpec') {
    return { algorithm: textOf(key, 'algorithm'), bytes: Buffer.from(bytesOf(key, 'key')) }
  }
  if (key.className !== 'java.security.KeyRep') throw unsupported(`a secret key of class ${key.className}`)
  if (key.fields.get('type') !== 'SECRET' || key.fields.get('format') !== 'RAW') {
    throw unsupported('a sealed key that is not a secret key in raw form')
  }
  return { algorithm: textOf(key, 'algorithm'), bytes: Buffer.from(bytesOf(key, 'encoded')) }
}

function textOf(object: JavaObject, field: string): string {
  const value = object.fields.get(field)
  if (typeof value !== 'string') throw corrupt(`secret key: ${field} is missing`)
  return value
}

function bytesOf(object: JavaObject, field: string): Buffer {
  const value = object.fields.get(field)
  if (!Buffer.isBuffer(value)) throw corrupt(`secret key: ${field} is missing`)
  return value
}
