import { dirname, resolve } from 'node:path'
import type { KeyStoreType } from '@identity-gateway/jvm-keystores'
import { type SecretError, SecretStoreKind, secretsProvider } from '#contracts'
import {
  ConfigError,
  config,
  defineType,
  exactlyOneOf,
  list,
  object,
  oneOf,
  regex,
  renames,
  secretId,
  string,
} from '#schema'
import { SECRETS_EVENTS } from '#secrets'
import { autoRefresh, watchDirectory } from '../lib/auto-refresh.ts'
import { checkMappings } from '../lib/formats.ts'
import { checkLease, leaseExpiry, usableLease } from '../lib/lease-expiry.ts'
import { passwordId } from '../lib/password-id.ts'
import { EVENTS } from '../log-events.ts'
import { KeyStoreProblems } from './key-store-problems.ts'
import { KeyStoreSecrets } from './key-store-secrets.ts'

const mapping = object(
  {
    secretId: config(secretId({ defined: true })).meta({
      description: 'Secret ID of the entries.',
    }),
    aliases: list(config(string({ nonEmpty: true })), { nonEmpty: true })
      .optional()
      .meta({ description: 'Aliases of entries; the first is the active secret.' }),
    aliasesMatching: list(config(regex()), { nonEmpty: true })
      .optional()
      .meta({ description: 'Regular expressions that match whole aliases; the entries are sorted by alias.' }),
  },
  { rules: [exactlyOneOf('aliases', 'aliasesMatching')] },
)

/** Keys, certificates and passwords in a keystore. */
export const KeyStoreSecretStore = defineType({
  name: 'KeyStoreSecretStore',
  kind: SecretStoreKind,
  summary: 'Reads keys, certificates and passwords from a keystore file.',
  events: [
    EVENTS.KEYSTORE_PROBLEM,
    EVENTS.KEYSTORE_UNREADABLE,
    SECRETS_EVENTS.FORMAT_WARNING,
    SECRETS_EVENTS.SECRET_UNREADABLE,
  ],
  config: {
    file: config(string({ nonEmpty: true })).meta({
      description: 'Path of the keystore; a relative path starts at the instance directory.',
    }),
    storeType: config(oneOf(['PKCS12', 'JKS', 'JCEKS']))
      .default('PKCS12')
      .meta({ description: 'Type of the keystore. `JKS` and `JCEKS` are insecure.' }),
    storePasswordSecretId: config(passwordId())
      .optional()
      .meta({ description: 'Secret ID of the password of the keystore; without it the keystore has none.' }),
    entryPasswordSecretId: config(passwordId())
      .optional()
      .meta({ description: 'Secret ID of the password of all entries; by default that of the keystore.' }),
    secretsProvider: secretsProvider('the passwords', 'fails'),
    mappings: list(mapping, { nonEmpty: true }).meta({
      description: 'Entries of each secret ID, by either `aliases` or `aliasesMatching`.',
    }),
    leaseExpiry: leaseExpiry(),
    securityProvider: config(string()).optional().meta({
      description: 'Security provider that loads the keystore.',
      unsupported: 'keystores are read without a JVM',
    }),
    autoRefresh: autoRefresh(),
  },
  older: renames({ storePassword: 'storePasswordSecretId', keyEntryPassword: 'entryPasswordSecretId' }),
  check: ({ mappings, leaseExpiry, storeType }, report, warn) => {
    if (storeType !== 'PKCS12') warn(`keystores of type ${storeType} are insecure; convert this one to PKCS12`)
    checkLease(leaseExpiry, warn)
    checkMappings(mappings, report)
  },
  create: async (settings, env) => {
    const { storeType, secretsProvider, autoRefresh } = settings
    const file = resolve(env.directories.instance, settings.file)
    const passwords = secretsProvider
    const secrets = new KeyStoreSecrets({
      file,
      type: storeType as KeyStoreType,
      storePasswordSecretId: settings.storePasswordSecretId ?? null,
      entryPasswordSecretId: settings.entryPasswordSecretId ?? null,
      passwords,
      mappings: settings.mappings,
      lease: usableLease(settings.leaseExpiry),
      env,
    })
    await secrets.open().catch(asConfigError)
    watchDirectory(autoRefresh, dirname(file), env, () => secrets.check())
    if (autoRefresh.enabled) env.onDispose(passwords.onChange(() => void secrets.refresh()))
    return secrets
  },
})

function asConfigError(error: SecretError): never {
  throw error instanceof KeyStoreProblems ? new ConfigError(error.problems, { cause: error }) : error
}
