import { resolve } from 'node:path'
import { SecretStoreKind, secretsProvider } from '#contracts'
import { ConfigError, config, defineType, duration, integer, list, object, renames, secretId, string } from '#schema'
import { SECRETS_EVENTS } from '#secrets'
import { checkMappings } from '../lib/formats.ts'
import { checkLease, leaseExpiry, usableLease } from '../lib/lease-expiry.ts'
import { passwordId } from '../lib/password-id.ts'
import { EVENTS } from '../log-events.ts'
import { HsmProblems } from './hsm-problems.ts'
import { HsmSecrets } from './hsm-secrets.ts'

const ADVICE =
  'is required: the path of the PKCS #11 module, which is "library" in the Java configuration of the provider; also add token, the label of its token'

/** Private keys in a security module, and certificates beside them. */
export const HsmSecretStore = defineType({
  name: 'HsmSecretStore',
  kind: SecretStoreKind,
  summary: 'Signs and decrypts with private keys in a hardware security module (PKCS #11).',
  events: [EVENTS.HSM_UNREADABLE, EVENTS.HSM_UNUSABLE, SECRETS_EVENTS.FORMAT_WARNING, SECRETS_EVENTS.SECRET_UNREADABLE],
  config: {
    library: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'Path of the PKCS #11 module, a shared library; a relative path starts at the instance directory. Required.',
      }),
    token: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Label of the token; without it, and without `slot`, the only token of the module.' }),
    slot: config(integer({ min: 0 }))
      .optional()
      .meta({ description: 'ID of the slot that the token is in.' }),
    storePasswordSecretId: config(passwordId()).meta({ description: 'Secret ID of the PIN of the token.' }),
    secretsProvider: secretsProvider('the PIN', 'fails'),
    mappings: list(
      object({
        secretId: config(secretId({ defined: true })).meta({ description: 'Secret ID of the entries.' }),
        aliases: list(config(string({ nonEmpty: true })), { nonEmpty: true }).meta({
          description: 'Labels (`CKA_LABEL`) of private keys or certificates; the first is the active secret.',
        }),
      }),
      { nonEmpty: true },
    ).meta({ description: 'Entries of each secret ID.' }),
    leaseExpiry: leaseExpiry(),
    callTimeout: config(duration({ zero: false, unlimited: false }))
      .default('10 seconds')
      .meta({ description: 'Time for a call of the module; then its process is stopped and replaced.' }),
    providerName: config(string()).optional().meta({
      description: 'Name of the security provider of a JVM.',
      unsupported: 'modules are used without a JVM: library and token select the module',
    }),
  },
  older: renames({ storePassword: 'storePasswordSecretId' }),
  check: ({ mappings, library, leaseExpiry }, report, warn) => {
    checkLease(leaseExpiry, warn)
    if (library === undefined) report('/library', `library ${ADVICE}`)
    checkMappings(mappings, report)
  },
  create: async (settings, env) => {
    const secrets = new HsmSecrets({
      library: resolve(env.directories.instance, settings.library as string),
      token: { label: settings.token ?? null, slot: settings.slot ?? null },
      timeout: settings.callTimeout,
      pinSecretId: settings.storePasswordSecretId,
      pins: settings.secretsProvider,
      mappings: settings.mappings,
      lease: usableLease(settings.leaseExpiry),
      env,
    })
    env.onDispose(() => secrets.close())
    // A login counts as an attempt, so that validation does none.
    if (env.serving) await secrets.open().catch(asConfigError)
    return secrets
  },
})

function asConfigError(error: Error): never {
  throw error instanceof HsmProblems ? new ConfigError(error.problems) : error
}
