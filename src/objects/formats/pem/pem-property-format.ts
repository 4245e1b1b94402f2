import { SecretFormatKind, secretsProvider } from '#contracts'
import { config, defineType, secretId } from '#schema'
import { decodePem } from '#secrets'

/** Decodes keys and certificates in PEM. */
export const PemPropertyFormat = defineType({
  name: 'PemPropertyFormat',
  kind: SecretFormatKind,
  summary: 'Reads a secret as keys and certificates in PEM.',
  config: {
    decryptionSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret ID of the password of an encrypted private key.' }),
    secretsProvider: secretsProvider('the password'),
  },
  create: ({ decryptionSecretId, secretsProvider: provider }) => {
    const passphrase = async (): Promise<Buffer | null> => {
      if (decryptionSecretId === undefined) return null
      const secret = await provider.active({ secretId: decryptionSecretId, purpose: 'GENERIC' })
      return secret.revealBytes()
    }
    return { acceptsPairs: true, decode: async (content) => decodePem(content, await passphrase()) }
  },
})
