import type { KeyStoreType } from '@identity-gateway/jvm-keystores'
import { KeyStoreKind, secretsProvider } from '#contracts'
import { atMostOneOf, config, defineType, field, oneOf, secretId, string } from '#schema'
import { passwordMigration, passwordSource } from '../../lib/tls/password.ts'
import { EVENTS } from '../log-events.ts'
import { keystorePath } from './keystore-path.ts'
import { OpenKeyStore } from './open-key-store.ts'

const location = field<string>(
  { label: 'a file URL or a path', schema: () => ({ type: 'string' }) },
  (value, report) => {
    const path = typeof value === 'string' ? keystorePath(value) : null
    if (path === null) report(`expected a file URL or a path of this machine, got ${JSON.stringify(value)}`)
    return value as string
  },
)

/** A keystore that key and trust managers refer to. */
export const KeyStore = defineType({
  name: 'KeyStore',
  kind: KeyStoreKind,
  summary: 'A keystore file for KeyManager and TrustManager.',
  events: [EVENTS.KEYSTORE_UNREADABLE],
  config: {
    url: config(location).meta({ description: 'Location of the keystore: a `file:` URL or a path.' }),
    password: config(string()).optional().meta({
      description: 'Password of the keystore.',
      replacement: 'use passwordSecretId: a password in a file of configuration is seen by all who read it',
      secret: true,
    }),
    passwordSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret id of the password; a keystore without one is read without a password.' }),
    secretsProvider: secretsProvider('the password'),
    type: config(oneOf(['PKCS12', 'JKS', 'JCEKS']))
      .default('PKCS12')
      .meta({
        description: 'Format of the keystore. The content of the file takes precedence; a difference causes a warning.',
      }),
  },
  rules: [atMostOneOf('password', 'passwordSecretId')],
  migrations: [passwordMigration('keystore.password')],
  async create({ url, type, ...password }, env) {
    const store = new OpenKeyStore({
      path: keystorePath(url, env.directories.instance) as string,
      type: type as KeyStoreType,
      password: passwordSource({ ...password, secretsProvider: password.secretsProvider }),
      logger: env.logger,
    })
    for (const warning of await store.open()) env.warn(warning)
    env.onDispose(store.watch())
    env.onReload(() => void store.check())
    return store
  },
})
