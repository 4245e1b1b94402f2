import { FilterKind } from '#contracts'
import { ENCRYPTION_ALGORITHMS, ENCRYPTION_METHODS } from '#jose'
import { config, defineType, oneOf, secretId } from '#schema'
import { ASSERTION_RULES, assertionFields } from '../../lib/outbound-auth/assertion-fields.ts'
import { assertClient } from '../../lib/outbound-auth/client-assertion.ts'
import { reportClaims } from '../../lib/outbound-auth/extra-claims.ts'

/** Authenticates an OAuth 2.0 client with an encrypted `private_key_jwt`. */
export const EncryptedPrivateKeyJwtClientAuthenticationFilter = defineType({
  name: 'EncryptedPrivateKeyJwtClientAuthenticationFilter',
  kind: FilterKind,
  summary: 'Authenticates the gateway at an authorization server with private_key_jwt, signed and encrypted.',
  config: {
    ...assertionFields(),
    encryptionSecretId: config(secretId()).meta({
      description: 'Secret ID of the key to encrypt with, a `CryptoKey`: the public key of the authorization server.',
    }),
    encryptionAlgorithm: config(oneOf(ENCRYPTION_ALGORITHMS)).meta({
      description: 'Algorithm that wraps or agrees on the content encryption key, such as `RSA-OAEP-256`.',
    }),
    encryptionMethod: config(oneOf(ENCRYPTION_METHODS))
      .default('A256GCM')
      .meta({ description: 'Content encryption algorithm.' }),
  },
  rules: ASSERTION_RULES,
  check: ({ claims }, report) => reportClaims(claims, report),
  create: ({ encryptionSecretId, encryptionAlgorithm, encryptionMethod, ...settings }, env) =>
    assertClient({
      ...settings,
      encryption: { secretId: encryptionSecretId, algorithm: encryptionAlgorithm, method: encryptionMethod },
      clock: env.clock,
    }),
})
