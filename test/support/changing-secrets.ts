import type { KeyObject } from 'node:crypto'
import { Secret, SecretError, type SecretStore, SecretStoreKind } from '#contracts'
import { defineType } from '#schema'

/** What the test's store knows: passwords, keys, or an error for an id that can not be served. */
export type ChangingSecrets = Record<string, string | KeyObject | { key: KeyObject; kid: string } | Error>

/** A type of stores, `TestSecrets`, that knows what the test's record holds at the moment of the question. */
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
