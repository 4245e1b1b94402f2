// RSA of javax.crypto.Cipher. Without OAEP an encrypted text can be changed, or found by errors of its padding: PKCS1Padding is not supported.
import { constants, privateDecrypt, publicEncrypt } from 'node:crypto'
import { declareException, throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { OaepValue } from './cipher-parameters.ts'
import { GeneralSecurityException, InvalidKeyException, PairKeyValue } from './keys.ts'

export const BadPaddingException = declareException('javax.crypto.BadPaddingException', GeneralSecurityException)
export const InvalidParameters = declareException(
  'java.security.InvalidAlgorithmParameterException',
  GeneralSecurityException,
)

export type Mode = 'encrypt' | 'decrypt'

const OAEP = /^RSA\/(?:ECB|NONE)\/OAEP(?:WITHSHA-?(1|256|384|512)ANDMGF1)?PADDING$/

/** Encrypts with a public key, decrypts with the private one. */
export class RsaCipher {
  readonly iv = null
  readonly #mode: Mode
  readonly #key: PairKeyValue['key']
  readonly #digest: string

  constructor(transformation: string, mode: Mode, key: Value, parameters: Value) {
    const type = mode === 'encrypt' ? 'public' : 'private'
    if (!(key instanceof PairKeyValue) || key.algorithm !== 'RSA' || key.key.type !== type) {
      throw throwable(InvalidKeyException, `expected a ${type} key of RSA`)
    }
    this.#mode = mode
    this.#key = key.key
    this.#digest = digestOf(transformation, parameters)
  }

  static supports(transformation: string): boolean {
    return OAEP.test(transformation)
  }

  finish(input: Uint8Array): Uint8Array {
    const options = { key: this.#key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: this.#digest }
    try {
      return this.#mode === 'encrypt' ? publicEncrypt(options, input) : privateDecrypt(options, input)
    } catch {
      throw throwable(
        BadPaddingException,
        this.#mode === 'encrypt' ? 'the text is too long for the key' : 'Padding error in decryption',
      )
    }
  }
}

/** The digest of OAEP and of its mask. Java takes SHA-1 for the mask unless the parameters name one; OpenSSL has one for both. */
function digestOf(transformation: string, parameters: Value): string {
  const bits = OAEP.exec(transformation)?.[1] ?? '1'
  if (parameters === null && bits === '1') return 'sha1'
  if (!(parameters instanceof OaepValue)) {
    const example = `new OAEPParameterSpec('SHA-${bits}', 'MGF1', new MGF1ParameterSpec('SHA-${bits}'), PSource.PSpecified.DEFAULT)`
    throw throwable(
      InvalidParameters,
      `the mask of OAEP needs the same digest, which Java does not choose; pass ${example}`,
    )
  }
  const [digest, mask] = [nodeName(parameters.digest), nodeName(parameters.mask)]
  if (digest !== null && digest === mask) return digest
  throw throwable(
    InvalidParameters,
    `expected the same digest for OAEP and its mask, got ${parameters.digest} and ${parameters.mask}`,
  )
}

function nodeName(digest: string): string | null {
  const bits = /^SHA-?(1|256|384|512)$/i.exec(digest)?.[1]
  return bits === undefined ? null : `sha${bits}`
}
