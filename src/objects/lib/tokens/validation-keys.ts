import { type SecretsProvider, secretsProvider } from '#contracts'
import type { KeySource } from '#jose'
import { config, duration, secretId } from '#schema'

/** Fields of objects that validate JWTs of an issuer. */
export const VALIDATION_KEY_FIELDS = {
  secretsProvider: secretsProvider('the keys'),
  verificationSecretId: config(secretId()).optional().meta({
    description: 'Secret ID of the keys that verify the signature of tokens.',
  }),
  skewAllowance: config(duration({ unlimited: false }))
    .default('zero')
    .meta({ description: 'Allowed clock skew of the issuer; it extends the validity of tokens at both ends.' }),
}

export interface ValidationKeyValues {
  readonly secretsProvider: SecretsProvider
  readonly verificationSecretId?: string | undefined
  readonly decryptionSecretId?: string | undefined
}

/** The keys of both secret ids; null where one is not configured. */
export function validationKeys({
  secretsProvider: provider,
  verificationSecretId,
  decryptionSecretId,
}: ValidationKeyValues): { readonly verification: KeySource | null; readonly decryption: KeySource | null } {
  const source = (secretId: string | undefined) => (secretId === undefined ? null : { provider, secretId })
  return { verification: source(verificationSecretId), decryption: source(decryptionSecretId) }
}
