import { AmServiceKind, CapturedPasswordContext, FilterKind, secretsProvider } from '#contracts'
import { clearText, config, defineType, oneOf, ref, runtime, secretId } from '#schema'
import { EVENTS } from '../log-events.ts'
import { CapturedPasswords } from './captured-passwords.ts'

/** Provides the password with which a user has logged in at the access manager. */
export const CapturedUserPasswordFilter = defineType({
  name: 'CapturedUserPasswordFilter',
  kind: FilterKind,
  summary: 'Decrypts the password that the access manager captured at the login of the user.',
  provides: [CapturedPasswordContext],
  events: [EVENTS.NO_CAPTURED_PASSWORD, EVENTS.PASSWORD_NOT_DECRYPTED, EVENTS.SESSION_LOOKUP_FAILED],
  config: {
    amService: ref(AmServiceKind).meta({
      description: 'The access manager; `sunIdentityUserPassword` must be among the session properties it returns.',
    }),
    keySecretId: config(secretId()).meta({
      description: 'Secret ID of the key: the bytes of a key, or a password with their base64.',
    }),
    keyType: config(oneOf(['AES', 'DES']))
      .default('AES')
      .meta({
        description:
          'Encryption of the password: a JWE with A128CBC-HS256 and a key of 32 bytes (AES), or DES/ECB/NoPadding in base64 with a key of 8 bytes, which is not secure.',
      }),
    secretsProvider: secretsProvider('the key'),
    ssoToken: runtime('string').optional().meta({
      description:
        'The session token, such as `${contexts.ssoToken.value}`; by default the session cookie of the access manager.',
    }),
  },
  older: [clearText('key', 'keySecretId', 'replay.password.key')],
  check: ({ keyType }, _report, warn) => {
    if (keyType === 'DES') warn('DES is not secure; use AES, with the plugin JwtReplayPassword of the access manager')
  },
  create: (settings, env) => {
    const { amService, keySecretId, keyType, secretsProvider: secrets, ssoToken } = settings
    const passwords = new CapturedPasswords({
      amService,
      ssoToken: ssoToken ?? null,
      secrets,
      keySecretId,
      keyType,
      logger: env.logger,
    })
    return (exchange, next) => passwords.handle(exchange, next)
  },
})
