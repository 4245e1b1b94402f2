import { JwtBuilderContext, type SecretsProvider } from '#contracts'
import type { Exchange, Filter } from '#http'
import { type EncryptionAlgorithm, type EncryptionMethod, encryptJwt, type SignatureAlgorithm, signJwt } from '#jose'
import type { JsonObject } from '#json'
import { claimsFrom } from './claims-from.ts'

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

/** Settings of a token; one of `signature` and `encryption` is set. */
interface JwtBuilding {
  readonly template: (exchange: Exchange) => unknown
  readonly provider: SecretsProvider
  readonly signature: SignatureSettings | null
  readonly encryption: EncryptionSettings | null
}

/** Builds a token for each request and adds it to the context. A failure is a fault. */
export function buildJwt({ template, provider, signature, encryption }: JwtBuilding): Filter {
  const encrypted = async (text: string, content: 'claims' | 'token', settings: EncryptionSettings) => {
    const { secretId, algorithm, method } = settings
    const secret = await provider.active({ secretId, purpose: 'ENCRYPT' })
    return encryptJwt(secret, text, { algorithm, method, content })
  }
  const signed = async (claims: JsonObject, { secretId, algorithm, includeKeyId }: SignatureSettings) => {
    const secret = await provider.active({ secretId, purpose: 'SIGN' })
    return signJwt(secret, claims, { algorithm, includeKeyId })
  }
  const token = async (claims: JsonObject): Promise<string> => {
    if (signature === null) return encrypted(JSON.stringify(claims), 'claims', encryption as EncryptionSettings)
    const inner = await signed(claims, signature)
    return signature.encryption === undefined ? inner : encrypted(inner, 'token', signature.encryption)
  }
  return async (exchange, next) => {
    const claims = claimsFrom(await template(exchange))
    const value = await token(claims)
    return next(exchange.with(JwtBuilderContext, { value, claims, claimsAsJsonValue: claims }))
  }
}
