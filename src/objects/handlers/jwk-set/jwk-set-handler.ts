import { HandlerKind, SecretsProviderKind } from '#contracts'
import { boolean, config, defineType, list, object, oneOf, ref, secretId } from '#schema'
import { KEY_USAGES, publishKeys } from './published-keys.ts'

/** Publishes keys of the gateway. */
export const JwkSetHandler = defineType({
  name: 'JwkSetHandler',
  kind: HandlerKind,
  summary: 'Publishes the public keys behind secret IDs as a JWK Set.',
  config: {
    secretsProvider: ref(SecretsProviderKind).meta({ description: 'Provider of the keys.' }),
    purposes: list(
      object({
        secretId: config(secretId()).meta({ description: 'Secret ID of the keys.' }),
        keyUsage: config(oneOf(KEY_USAGES)).meta({ description: 'What the gateway uses the keys for.' }),
      }),
      { nonEmpty: true },
    ).meta({ description: 'Which keys are published, in this order.' }),
    exposePrivateSecrets: config(boolean())
      .prefault(false)
      .meta({ description: 'Whether private parts of keys and symmetric keys are published too.' }),
  },
  create: ({ secretsProvider, purposes, exposePrivateSecrets }, env) => {
    if (exposePrivateSecrets) {
      env.warn('private keys are handed out to everybody who can reach this handler; guard it, or switch it off')
    }
    const exposure = exposePrivateSecrets ? 'private' : 'public'
    return publishKeys({ provider: secretsProvider, purposes, exposure, logger: env.logger })
  },
})
