import type { KeyObject } from 'node:crypto'
import { compactDecrypt, errors } from 'jose'
import { type Secret, SecretError } from '#contracts'
import type { EncryptedToken } from './compact.ts'
import { decryptInModule } from './decrypt-in-module.ts'
import {
  type EncryptionAlgorithm,
  type EncryptionMethod,
  encryptionSuitability,
  methodsFor,
} from './encryption-algorithms.ts'
import { chooseSecrets, type KeySource, type KeysUnavailable } from './key-choice.ts'

/** Outcome of a decryption; the reason of `invalid` is the same for every failure, and may be shown to the bearer. */
type Decryption =
  | {
      readonly outcome: 'decrypted'
      readonly content: Buffer
      readonly secret: Secret
      /** Whether only holders of the key can create such tokens; with a public key anyone can. */
      readonly authenticated: boolean
    }
  | { readonly outcome: 'invalid'; readonly reason: string }
  | KeysUnavailable

const NOT_DECRYPTED: Decryption = { outcome: 'invalid', reason: 'the token can not be decrypted' }

/** Decrypts a token with the keys of a secret id, in the order of `chooseSecrets`. */
export async function decryptToken(token: EncryptedToken, source: KeySource): Promise<Decryption> {
  const chosen = await chooseSecrets(source, 'DECRYPT', token.header.kid)
  if (chosen.outcome === 'unavailable') return chosen
  for (const secret of chosen.secrets) {
    const key = secret.moduleKey === null ? secret.privateOrSecretKey : secret.publicOrSecretKey
    if (key === null || !suits(key, secret.algorithm, token)) continue
    const opened = secret.moduleKey === null ? attempt(token, key) : decryptInModule(token, secret.moduleKey)
    const content = await opened.catch(asUnavailable)
    if (content !== null && !Buffer.isBuffer(content)) return content
    if (content !== null) return { outcome: 'decrypted', content, secret, authenticated: key.type === 'secret' }
  }
  return NOT_DECRYPTED
}

function asUnavailable(error: Error): KeysUnavailable {
  if (error instanceof SecretError) return { outcome: 'unavailable', reason: error.message }
  throw error
}

/** Decrypts a token with one key; null where it fails. The caller checks the algorithms in its header. */
export function decryptWithKey(token: EncryptedToken, key: KeyObject): Promise<Buffer | null> {
  return attempt(token, key)
}

function suits(key: KeyObject, named: string | null, { header, method }: EncryptedToken): boolean {
  const algorithm = header.alg as EncryptionAlgorithm
  if (!(encryptionSuitability(key, named).algorithms as readonly string[]).includes(algorithm)) return false
  return methodsFor(key, algorithm, named).includes(method as EncryptionMethod)
}

/** One error for every failure: differences between failures would be a padding oracle. */
async function attempt({ text, header, method }: EncryptedToken, key: KeyObject): Promise<Buffer | null> {
  try {
    const { plaintext } = await compactDecrypt(text, key, {
      keyManagementAlgorithms: [header.alg],
      contentEncryptionAlgorithms: [method],
    })
    return Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.byteLength)
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) return null
    throw error
  }
}
