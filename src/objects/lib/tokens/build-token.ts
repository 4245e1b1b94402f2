import type { SecretsProvider } from '#contracts'
import { type EncryptionAlgorithm, type EncryptionMethod, encryptJwt, type SignatureAlgorithm, signJwt } from '#jose'
import type { JsonObject } from '#json'

interface EncryptionSettings {
  readonly secretId: string
  readonly algorithm: EncryptionAlgorithm
  readonly method: EncryptionMethod
}

interface SignatureSettings {
  readonly secretId: string
  readonly includeKeyId: boolean
  readonly algorithm: SignatureAlgorithm
  readonly encryption?: EncryptionSettings | undefined
}

/** Keys of a token; one of `signature` and `encryption` is set. */
export interface TokenKeys {
  readonly provider: SecretsProvider
  readonly signature: SignatureSettings | null
  readonly encryption: EncryptionSettings | null
}

/** Builds a token with claims. Rejects where a key can not be read or does not suit its algorithm. */
export async function buildToken(claims: JsonObject, { provider, signature, encryption }: TokenKeys): Promise<string> {
  if (signature === null) {
    return encrypted(JSON.stringify(claims), 'claims', encryption as EncryptionSettings, provider)
  }
  const { secretId, algorithm, includeKeyId } = signature
  const secret = await provider.active({ secretId, purpose: 'SIGN' })
  const signed = await signJwt(secret, claims, { algorithm, includeKeyId })
  return signature.encryption === undefined ? signed : encrypted(signed, 'token', signature.encryption, provider)
}

async function encrypted(
  text: string,
  content: 'claims' | 'token',
  { secretId, algorithm, method }: EncryptionSettings,
  provider: SecretsProvider,
): Promise<string> {
  const secret = await provider.active({ secretId, purpose: 'ENCRYPT' })
  return encryptJwt(secret, text, { algorithm, method, content })
}
