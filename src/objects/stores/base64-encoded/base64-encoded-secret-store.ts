import { base64Bytes, Secret, SecretStoreKind } from '#contracts'
import { config, defineType, field, map } from '#schema'

/** Text in base64; errors do not contain it. */
const encodedText = () =>
  field<string>({ label: 'text in base64', schema: () => ({ type: 'string' }) }, (value, report) => {
    try {
      if (typeof value !== 'string') report('expected text in base64')
      else base64Bytes(Buffer.from(value), () => {})
    } catch (error) {
      report((error as Error).message)
    }
    return value as string
  })

/** Passwords in the configuration itself. */
export const Base64EncodedSecretStore = defineType({
  name: 'Base64EncodedSecretStore',
  kind: SecretStoreKind,
  summary: 'Holds base64-encoded passwords in the configuration itself, for tests.',
  config: {
    secrets: config(map(config(encodedText()))).meta({
      description: 'Secret IDs and their passwords, encoded in base64.',
      secret: true,
    }),
  },
  create: ({ secrets }, env) => {
    const byId = new Map<string, readonly Secret[]>()
    for (const secretId of Object.keys(secrets)) {
      const content = Buffer.from(secrets[secretId] as string)
      const bytes = base64Bytes(content, (message) => env.warn(`the secret id "${secretId}": ${message}`))
      byId.set(secretId, [new Secret({ secretId, source: env.name, bytes })])
    }
    return { find: async ({ secretId }) => byId.get(secretId) ?? null, onChange: () => () => {} }
  },
})
