import { HandlerKind, secretsProvider } from '#contracts'
import { ENCRYPTION_ALGORITHMS, SIGNATURE_ALGORITHMS } from '#jose'
import { boolean, config, defineType, list, object, oneOf, secretId } from '#schema'
import { EVENTS } from '../log-events.ts'
import { KEY_USAGES, publishKeys, useOf } from './published-keys.ts'

const ALGORITHMS = [...SIGNATURE_ALGORITHMS, ...ENCRYPTION_ALGORITHMS] as const

/** Publishes keys of the gateway. */
export const JwkSetHandler = defineType({
  name: 'JwkSetHandler',
  kind: HandlerKind,
  summary: 'Publishes the public keys behind secret IDs as a JWK Set.',
  events: [EVENTS.KEYS_NOT_PUBLISHED],
  config: {
    secretsProvider: secretsProvider('the keys', 'fails'),
    purposes: list(
      object({
        secretId: config(secretId()).meta({ description: 'Secret ID of the keys.' }),
        keyUsage: config(oneOf(KEY_USAGES)).meta({ description: 'Usage of the keys in the gateway.' }),
        jwkAlgorithm: config(oneOf(ALGORITHMS)).optional().meta({
          description: 'The `alg` of keys without one, as in PEM; takes precedence over that of the handler.',
        }),
      }),
      { nonEmpty: true },
    ).meta({ description: 'Published keys, in this order.' }),
    jwkAlgorithm: config(oneOf(ALGORITHMS)).optional().meta({
      description: 'The `alg` of keys without one, where it suits them.',
    }),
    exposePrivateSecrets: config(boolean())
      .default(false)
      .meta({ description: 'Whether private parts of keys and symmetric keys are published too.' }),
  },
  check: ({ purposes, exposePrivateSecrets }, report, warn) => {
    if (exposePrivateSecrets)
      warn(
        'private keys are sent to every client that can reach this handler; protect it, or set exposePrivateSecrets to false',
      )
    for (const [at, { keyUsage, jwkAlgorithm }] of purposes.entries()) {
      if (jwkAlgorithm === undefined) continue
      const isSignature = (SIGNATURE_ALGORITHMS as readonly string[]).includes(jwkAlgorithm)
      if (isSignature !== (useOf(keyUsage) === 'sig'))
        report(`/purposes/${at}/jwkAlgorithm`, `expected an algorithm for ${keyUsage}, got ${jwkAlgorithm}`)
    }
  },
  create: ({ secretsProvider, purposes, exposePrivateSecrets, jwkAlgorithm = null }, env) => {
    const exposure = exposePrivateSecrets ? 'private' : 'public'
    return publishKeys({ provider: secretsProvider, purposes, jwkAlgorithm, exposure, logger: env.logger })
  },
})
