import { KeyManagerKind, secretsProvider } from '#contracts'
import { config, defineType, listOrOne, secretId } from '#schema'
import { firstProblem } from '../../lib/tls/joined-managers.ts'
import { activeIdentity } from '../../lib/tls/secret-identity.ts'

/** Keys for TLS from secrets. */
export const SecretsKeyManager = defineType({
  name: 'SecretsKeyManager',
  kind: KeyManagerKind,
  summary: 'Keys and certificates for TLS from secret stores.',
  config: {
    signingSecretId: listOrOne(config(secretId())).meta({
      description: 'Secret id or ids of a private key with its certificates; the active secret of each is used.',
    }),
    secretsProvider: secretsProvider('the keys'),
  },
  check({ signingSecretId }, report) {
    if (signingSecretId.length === 0) report('/signingSecretId', 'expected at least one secret id')
  },
  create({ signingSecretId, secretsProvider: provider }) {
    return {
      identities: () => Promise.all(signingSecretId.map((id) => activeIdentity(provider, id))),
      problem: () => firstProblem(signingSecretId.map((id) => provider.problemOf?.(id))),
      onChange: (listener) => provider.onChange(listener),
    }
  },
})
