import { AccessTokenResolverKind, providerOf, SecretsProviderKind } from '#contracts'
import { atLeastOneOf, config, defineType, duration, ref, secretId, string } from '#schema'
import { StatelessTokens } from './stateless-tokens.ts'

/** Finds out what an access token stands for by reading it. */
export const StatelessAccessTokenResolver = defineType({
  name: 'StatelessAccessTokenResolver',
  aliases: ['PingAmStatelessAccessTokenResolver'],
  kind: AccessTokenResolverKind,
  summary: 'Reads access tokens that are JSON Web Tokens, without asking their issuer.',
  config: {
    issuer: config(string({ nonEmpty: true })).meta({
      description: 'Who must have issued a token: its claim `iss`, letter by letter.',
    }),
    audience: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'Whom a token must be for: its claim `aud`, or one of its values, letter by letter; not checked by default.',
      }),
    secretsProvider: ref(SecretsProviderKind).optional().meta({ description: 'Provider of the keys.' }),
    verificationSecretId: config(secretId()).optional().meta({
      description: 'Secret ID of the keys that tokens must be signed with.',
    }),
    decryptionSecretId: config(secretId()).optional().meta({
      description:
        'Secret ID of the keys that tokens must be encrypted to. With a private key the token inside must be signed, and verificationSecretId is needed too.',
    }),
    skewAllowance: config(duration({ unlimited: false }))
      .prefault('zero')
      .meta({
        description: 'By how much the clock of the issuer may be wrong; it lengthens the life of tokens at both ends.',
      }),
  },
  rules: [atLeastOneOf('verificationSecretId', 'decryptionSecretId')],
  renamed: { signatureSecretId: 'verificationSecretId', encryptionSecretId: 'decryptionSecretId' },
  create: ({ issuer, audience, secretsProvider, verificationSecretId, decryptionSecretId, skewAllowance }, env) => {
    const provider = providerOf(secretsProvider === undefined ? [env.secrets] : [secretsProvider, env.secrets])
    const source = (secretId: string | undefined) => (secretId === undefined ? null : { provider, secretId })
    return new StatelessTokens({
      issuer,
      audience: audience ?? null,
      keys: { verification: source(verificationSecretId), decryption: source(decryptionSecretId) },
      skew: skewAllowance,
      clock: env.clock,
      logger: env.logger,
    })
  },
})
