import { KeyManagerKind, KeyStoreKind, SecretError, secretsProvider } from '#contracts'
import { atMostOneOf, config, defineType, ref, secretId, string } from '#schema'
import { passwordMigration, passwordSource } from '../../lib/tls/password.ts'
import { identityOf } from '../../lib/tls/secret-identity.ts'

const KNOWN_ALGORITHMS = /^(?:PKIX|SunX509|NewSunX509|X\.?509)$/i

/** Keys for TLS from a keystore. */
export const KeyManager = defineType({
  name: 'KeyManager',
  kind: KeyManagerKind,
  summary: 'Keys and certificates for TLS from a keystore.',
  config: {
    keystore: ref(KeyStoreKind).meta({ description: 'The keystore with the keys.' }),
    password: config(string()).optional().meta({
      description: 'Password of the keys in the keystore; that of the keystore by default.',
      replacement: 'use passwordSecretId: a password in a file of configuration is seen by all who read it',
      secret: true,
    }),
    passwordSecretId: config(secretId()).optional().meta({ description: 'Secret id of the password of the keys.' }),
    secretsProvider: secretsProvider('the password'),
    alg: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Algorithm of a key manager in Java, such as SunX509 or PKIX. It has no effect.' }),
  },
  rules: [atMostOneOf('password', 'passwordSecretId')],
  migrations: [passwordMigration('key.password')],
  check({ alg }, _report, warn) {
    if (alg !== undefined && !KNOWN_ALGORITHMS.test(alg))
      warn(`alg: "${alg}" has a meaning only in a JVM and no effect here`)
  },
  create({ keystore, ...password }) {
    const keyPassword = passwordSource({ ...password, secretsProvider: password.secretsProvider })
    return {
      identities: async () => {
        const identities = (await keystore.items(await keyPassword())).flatMap(({ alias, key, certificates }) =>
          key === null || key.type !== 'private' ? [] : [identityOf(key, certificates, `the key "${alias}"`)],
        )
        if (identities.length > 0) return identities
        throw new SecretError('keystore: expected at least one private key with its certificate, found none')
      },
      problem: () => keystore.problem,
      onChange: (listener) => keystore.onChange(listener),
    }
  },
})
