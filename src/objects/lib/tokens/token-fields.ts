import { ENCRYPTION_ALGORITHMS, ENCRYPTION_METHODS, SIGNATURE_ALGORITHMS } from '#jose'
import { boolean, config, object, oneOf, secretId } from '#schema'

const encryption = () =>
  object({
    secretId: config(secretId()).meta({ description: 'Secret ID of the key to encrypt with.' }),
    algorithm: config(oneOf(ENCRYPTION_ALGORITHMS)).meta({
      description: 'Algorithm that wraps or agrees on the content encryption key; `dir` uses the secret itself.',
    }),
    method: config(oneOf(ENCRYPTION_METHODS)).meta({ description: 'Content encryption algorithm.' }),
  })

/** Fields of filters that build a token: it is signed, signed and encrypted, or encrypted. */
export const tokenFields = () => ({
  signature: object({
    secretId: config(secretId()).meta({ description: 'Secret ID of the key to sign with.' }),
    includeKeyId: config(boolean())
      .default(true)
      .meta({ description: 'Whether the header of the token has the id of the key (`kid`), if the key has one.' }),
    algorithm: config(oneOf(SIGNATURE_ALGORITHMS)).default('RS256').meta({
      description: 'Algorithm of the signature; it must suit the key.',
    }),
    encryption: encryption().optional().meta({ description: 'Encrypts the signed token.' }),
  })
    .optional()
    .meta({ description: 'Signs the token.' }),
  encryption: encryption().optional().meta({ description: 'Encrypts the claims without signing them.' }),
})
