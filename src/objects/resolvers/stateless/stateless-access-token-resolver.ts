import { AccessTokenResolverKind, HandlerKind } from '#contracts'
import type { Handler } from '#http'
import { type KeySource, normalType } from '#jose'
import { type JsonObject, parsePointer } from '#json'
import { Discovery } from '#openid'
import {
  atLeastOneOf,
  atMostOneOf,
  config,
  defineType,
  type Environment,
  list,
  listOrOne,
  ref,
  renames,
  secretId,
  string,
  url,
} from '#schema'
import { publishedKeys } from '../../lib/tokens/id-token-keys.ts'
import { providerHandler, TRUST_FIELD } from '../../lib/tokens/provider-client.ts'
import { VALIDATION_KEY_FIELDS, validationKeys } from '../../lib/tokens/validation-keys.ts'
import { EVENTS } from '../log-events.ts'
import { ACCESS_TOKEN_TYPE, StatelessTokens } from './stateless-tokens.ts'

/** Resolves access tokens that are JWTs, without a request to the authorization server. */
export const StatelessAccessTokenResolver = defineType({
  name: 'StatelessAccessTokenResolver',
  aliases: ['PingAmStatelessAccessTokenResolver'],
  kind: AccessTokenResolverKind,
  summary: 'Validates access tokens that are JWTs locally.',
  events: [EVENTS.TOKENS_NOT_VERIFIED],
  config: {
    issuer: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'Required issuer of a token: its claim `iss`, compared exactly. With wellKnownEndpoint by default the `issuer` of the metadata.',
      }),
    wellKnownEndpoint: config(url()).optional().meta({
      description:
        'URL of the metadata of the issuer, with the URL of its keys; instead of secretsProvider and verificationSecretId.',
    }),
    audience: listOrOne(config(string({ nonEmpty: true })), { nonEmpty: true })
      .optional()
      .meta({
        description:
          'Required audience of a token, or several of which it needs one: its claim `aud`, or one of its values, compared exactly; not checked by default.',
      }),
    tokenTypes: list(config(string({ nonEmpty: true })), { nonEmpty: true })
      .optional()
      .meta({
        description:
          'Values of the header `typ` that access tokens have. `JWT` covers tokens without `typ` too. By default `at+jwt`, where `audience` is configured. Tokens with `tokenName` `access_token` need none of them.',
      }),
    scopeClaim: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'The claim with the scopes: a name, or a JSON pointer such as `/realm_access/roles`. By default `scope`, else `scp`.',
      }),
    ...VALIDATION_KEY_FIELDS,
    decryptionSecretId: config(secretId()).optional().meta({
      description:
        'Secret ID of the keys that decrypt tokens, which then must be encrypted. With a private key the inner token must be signed, and verificationSecretId or wellKnownEndpoint is required too.',
    }),
    providerHandler: ref(HandlerKind)
      .default('ClientHandler')
      .meta({ description: 'Fetches the metadata and the keys of wellKnownEndpoint.' }),
    trust: TRUST_FIELD,
  },
  rules: [
    atLeastOneOf('issuer', 'wellKnownEndpoint'),
    atLeastOneOf('verificationSecretId', 'decryptionSecretId', 'wellKnownEndpoint'),
    atMostOneOf('verificationSecretId', 'wellKnownEndpoint'),
    atMostOneOf('trust', 'providerHandler'),
  ],
  older: renames({ signatureSecretId: 'verificationSecretId', encryptionSecretId: 'decryptionSecretId' }),
  check: ({ scopeClaim }, report) => {
    if (scopeClaim?.startsWith('/') && parsePointer(scopeClaim)?.includes('')) {
      report('/scopeClaim', 'expected the name of a claim, or a JSON pointer without empty names')
    }
  },
  create: async (settings, env) => {
    const { issuer, audience, scopeClaim, wellKnownEndpoint, skewAllowance, trust } = settings
    const tokenTypes = new Set((settings.tokenTypes ?? [ACCESS_TOKEN_TYPE]).map(normalType))
    // Without the field, tokens with `tokenName` alone are accepted.
    if (settings.tokenTypes !== undefined && audience === undefined) {
      env.warn(
        `tokenTypes has ${settings.tokenTypes.join(', ')} and there is no audience: a token that the issuer made for any other service opens this one; set audience where its tokens have one`,
      )
    }
    const handler = await providerHandler(trust, settings.providerHandler, env)
    const published = wellKnownEndpoint === undefined ? null : publishedBy(wellKnownEndpoint, issuer, handler, env)
    const keys = validationKeys(settings)
    return new StatelessTokens({
      issuer: issuer === undefined ? (published as Published).issuer : () => issuer,
      audience: audience ?? null,
      tokenTypes,
      needsAudience: settings.tokenTypes === undefined,
      scopePath: scopeClaim === undefined ? null : (parsePointer(scopeClaim) ?? [scopeClaim]),
      keys: published === null ? keys : { ...keys, verification: published.keys },
      skew: skewAllowance,
      clock: env.clock,
      logger: env.logger,
    })
  },
})

interface Published {
  readonly issuer: () => Promise<string>
  readonly keys: KeySource
}

/** Published metadata of an issuer, fetched for the first token. */
function publishedBy(
  wellKnownEndpoint: string,
  issuer: string | undefined,
  handler: Handler,
  env: Environment,
): Published {
  const configured: JsonObject = issuer === undefined ? {} : { issuer }
  const discovery = new Discovery(wellKnownEndpoint, handler, env.clock, { required: ['jwks_uri'], configured })
  const member = async (name: 'issuer' | 'jwks_uri') => (await discovery.metadata())[name] as string
  return { issuer: () => member('issuer'), keys: publishedKeys(() => member('jwks_uri'), handler, env) }
}
