import type { KeyObject } from 'node:crypto'
import { Secret, SecretError, type SecretStore, SecretStoreKind } from '#contracts'
import { defineType } from '#schema'

/** Content of the store of a test: passwords, keys, or an error for an id. */
export type ChangingSecrets = Record<string, string | KeyObject | { key: KeyObject; kid: string } | Error>

/** A store type, `TestSecrets`, that reads the test's record for each query. */
export function secretsType(secrets: ChangingSecrets) {
  return defineType({
    name: 'TestSecrets',
    kind: SecretStoreKind,
    summary: 'Secrets of a test.',
    config: {},
    create: (): SecretStore => ({
      find: async ({ secretId }) => {
        const content = Object.hasOwn(secrets, secretId) ? secrets[secretId] : undefined
        if (content === undefined) return null
        if (content instanceof Error) throw new SecretError(content.message)
        if (typeof content === 'string') return [new Secret({ secretId, bytes: Buffer.from(content) })]
        if ('kid' in content) return [new Secret({ secretId, key: content.key, stableId: content.kid })]
        return [new Secret({ secretId, key: content })]
      },
      onChange: () => () => {},
    }),
  })
}
