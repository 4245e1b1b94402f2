import { isUtf8 } from 'node:buffer'
import {
  ClientRegistrationKind,
  HandlerKind,
  IssuerKind,
  type ClientRegistration as Registration,
  type SecretsProvider,
  secretsProvider,
} from '#contracts'
import { chain, type Exchange, type Filter, type Handler } from '#http'
import { decryptToken, KEY_PAIR_ALGORITHMS, parseToken, TokenError } from '#jose'
import { OpenIdError } from '#openid'
import {
  boolean,
  clearText,
  config,
  converted,
  defineType,
  duration,
  type Environment,
  ignored,
  list,
  map,
  needs,
  oneOf,
  type Runtime,
  ref,
  runtime,
  secretId,
  string,
} from '#schema'
import { assertClient } from '../../lib/outbound-auth/client-assertion.ts'
import { clientSecretBasic, clientSecretPost } from '../../lib/outbound-auth/client-secret.ts'
import { AUTHENTICATION_MIGRATIONS } from './authentication-migration.ts'

const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const
/** Parameters of authorization requests that the gateway sets itself, some by a separate field. */
const RESERVED = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]
/** Parameters of `login` itself. */
const OF_LOGIN = ['discovery', 'goto', 'issuer', 'registration']
const INSTEAD = 'put a filter for client authentication into authenticatedRegistrationHandler'

/** The gateway as a client of an authorization server. */
export const ClientRegistration = defineType({
  name: 'ClientRegistration',
  kind: ClientRegistrationKind,
  summary: 'Registration of the gateway as a client of an authorization server.',
  config: {
    clientId: config(string({ nonEmpty: true })).meta({ description: 'The `client_id` obtained at registration.' }),
    issuer: ref(IssuerKind).meta({ description: 'The authorization server.' }),
    scopes: list(config(string({ nonEmpty: true })))
      .default([])
      .meta({ description: 'Requested scopes; with `openid` the server issues an ID token of the user.' }),
    pkceMethod: config(oneOf(['S256', 'plain', 'none']))
      .default('S256')
      .meta({ description: 'PKCE method (RFC 7636), which binds the code to this login.' }),
    parameters: map(runtime('string'), { except: RESERVED, reason: 'is set by the gateway' }).default({}).meta({
      description: 'Further parameters of authorization requests, such as `kc_idp_hint`; null omits a parameter.',
    }),
    passParameters: list(config(string({ nonEmpty: true })))
      .default([])
      .meta({
        description:
          'Names of parameters that `<clientEndpoint>/login` passes on, such as `login_hint`, `ui_locales`, `max_age`, `acr_values`, `prompt`.',
      }),
    responseMode: config(oneOf(['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt']))
      .optional()
      .meta({
        description:
          'Response mode of authorization requests: in the URL, in a form, or in either as a signed JWT (JARM).',
      }),
    userInfo: config(oneOf(['auto', 'always', 'never']))
      .default('auto')
      .meta({
        description:
          'When user info is fetched: when `user_info` is first read, before each request is passed on, or never.',
      }),
    sessionContent: list(config(oneOf(['accessToken', 'refreshToken', 'idToken', 'claims'])))
      .default(['accessToken', 'refreshToken', 'idToken'])
      .meta({
        description:
          'Data of a login that are stored in the session. Claims are read from the ID token; `claims` stores them in addition to it, or instead of it.',
      }),
    decryptionSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret ID of the keys that decrypt ID tokens and user info.' }),
    registrationHandler: ref(HandlerKind).optional().meta({
      description:
        'Sends requests without client authentication, such as those for user info; by default the handler of the issuer (`trust`, `issuerHandler`).',
    }),
    authenticatedRegistrationHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Sends requests to the token endpoint; a filter in it authenticates the client.' }),
    clientSecretId: config(secretId()).optional().meta({
      description:
        'Secret ID of the client secret: verifies ID tokens that are signed with it, and authenticates the client.',
    }),
    secretsProvider: secretsProvider('the secrets'),
    skipSignatureVerification: config(boolean()).default(false).meta({
      description:
        'Whether the signature of ID tokens is not verified, since they are received from the token endpoint over TLS.',
    }),
    tokenEndpointAuthMethod: config(oneOf(METHODS))
      .optional()
      .meta({ description: 'Client authentication method.', replacement: INSTEAD }),
    tokenEndpointAuthSigningAlg: config(oneOf(KEY_PAIR_ALGORITHMS))
      .default('RS256')
      .meta({ description: 'Algorithm of `private_key_jwt`.', replacement: INSTEAD }),
    privateKeyJwtSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret ID of the key for `private_key_jwt`.', replacement: INSTEAD }),
    jwtExpirationTimeout: config(duration({ min: '1 second', unlimited: false }))
      .default('1 minute')
      .meta({ description: 'Lifetime of a JWT of `private_key_jwt`.', replacement: INSTEAD }),
  },
  migrations: AUTHENTICATION_MIGRATIONS,
  older: [
    clearText('clientSecret', 'clientSecretId', 'client.secret'),
    converted(
      ['tokenEndpointUseBasicAuth'],
      'tokenEndpointAuthMethod',
      INSTEAD,
      ({ tokenEndpointUseBasicAuth: isBasic }) => ({
        tokenEndpointAuthMethod:
          isBasic === false || isBasic === 'false' ? 'client_secret_post' : 'client_secret_basic',
      }),
    ),
    ...['clientSecretIdUsage', 'clientSecretUsage'].map((name) =>
      ignored(
        name,
        'clientSecretId verifies ID tokens, and authenticates unless authenticatedRegistrationHandler does',
      ),
    ),
    ignored(
      'redirect_uris',
      'the redirect URI is `<clientEndpoint>/callback` of the filter that uses the registration',
    ),
    ignored('issuerRepository', 'the issuer is that of the field issuer'),
  ],
  rules: [
    needs('clientSecretId', 'secretsProvider'),
    needs('privateKeyJwtSecretId', 'secretsProvider'),
    needs('decryptionSecretId', 'secretsProvider'),
  ],
  check: (
    { tokenEndpointAuthMethod: method, clientSecretId, privateKeyJwtSecretId, sessionContent, passParameters },
    report,
  ) => {
    for (const [at, name] of passParameters.entries())
      if (RESERVED.includes(name) || OF_LOGIN.includes(name))
        report(
          `/passParameters/${at}`,
          `expected a parameter that the gateway does not set itself, got ${JSON.stringify(name)}`,
        )
    if (sessionContent.includes('refreshToken') && !sessionContent.includes('accessToken'))
      report('/sessionContent', 'expected accessToken beside refreshToken, which serves to renew it')
    if (method?.startsWith('client_secret') && clientSecretId === undefined)
      report('/tokenEndpointAuthMethod', `expected a clientSecretId for ${method}, got none`)
    if (method === 'private_key_jwt' && privateKeyJwtSecretId === undefined)
      report('/tokenEndpointAuthMethod', 'expected a privateKeyJwtSecretId for private_key_jwt, got none')
  },
  create: (config, env) => {
    const { clientId, issuer, scopes, pkceMethod, skipSignatureVerification, secretsProvider: provider } = config
    const registrationHandler = config.registrationHandler ?? issuer.handler
    const signatureProblem = async (jwt: string) =>
      issuer.signatureProblem(jwt, await sharedSecret(provider, config.clientSecretId))
    return {
      clientId,
      issuer,
      scopes,
      pkce: pkceMethod,
      responseMode: config.responseMode ?? null,
      parameters: (exchange) => evaluated(config.parameters, exchange),
      passParameters: config.passParameters,
      userInfo: config.userInfo,
      sessionContent: config.sessionContent,
      handler: registrationHandler,
      authenticatedHandler: authenticatedHandler({ ...config, registrationHandler }, provider, env),
      idTokenProblem: async (idToken) => (skipSignatureVerification ? null : signatureProblem(idToken)),
      signatureProblem,
      decrypt: (jwe) => decrypted(jwe, provider, config.decryptionSecretId),
    }
  },
})

interface Settings {
  readonly clientId: string
  readonly issuer: Registration['issuer']
  readonly registrationHandler: Handler
  readonly authenticatedRegistrationHandler?: Handler | undefined
  readonly clientSecretId?: string | undefined
  readonly tokenEndpointAuthMethod?: (typeof METHODS)[number] | undefined
  readonly tokenEndpointAuthSigningAlg: (typeof KEY_PAIR_ALGORITHMS)[number]
  readonly privateKeyJwtSecretId?: string | undefined
  readonly jwtExpirationTimeout: number
}

function authenticatedHandler(settings: Settings, provider: SecretsProvider, env: Environment): Handler {
  if (settings.authenticatedRegistrationHandler !== undefined) return settings.authenticatedRegistrationHandler
  const filter = authentication(settings, provider, env)
  return filter === null ? settings.registrationHandler : chain([filter], settings.registrationHandler)
}

function authentication(settings: Settings, secretsProvider: SecretsProvider, env: Environment): Filter | null {
  const { clientId, clientSecretId, privateKeyJwtSecretId } = settings
  const method = settings.tokenEndpointAuthMethod ?? (clientSecretId === undefined ? 'none' : 'client_secret_basic')
  if (method === 'client_secret_basic' && clientSecretId !== undefined)
    return clientSecretBasic({ clientId, clientSecretId, secretsProvider })
  if (method === 'client_secret_post' && clientSecretId !== undefined)
    return clientSecretPost({ clientId, clientSecretId, secretsProvider })
  if (method !== 'private_key_jwt' || privateKeyJwtSecretId === undefined) return null
  return assertClient({
    clientId,
    issuer: settings.issuer,
    secretsProvider,
    signingSecretId: privateKeyJwtSecretId,
    signingAlgorithm: settings.tokenEndpointAuthSigningAlg,
    jwtExpirationTimeout: settings.jwtExpirationTimeout,
    claims: {},
    encryption: null,
    clock: env.clock,
  })
}

async function evaluated(parameters: Readonly<Record<string, Runtime<string>>>, exchange: Exchange) {
  const values: Record<string, string> = {}
  for (const [name, expression] of Object.entries(parameters)) {
    const value = await expression(exchange)
    if (value !== null) values[name] = value
  }
  return values
}

async function decrypted(jwe: string, provider: SecretsProvider, secretId: string | undefined): Promise<string> {
  if (secretId === undefined)
    throw new OpenIdError('invalid_token', 'a token is encrypted, and no decryptionSecretId is configured', false)
  try {
    const token = parseToken(jwe)
    if (token.form !== 'encrypted') throw new TokenError('the token is not encrypted')
    const decryption = await decryptToken(token, { provider, secretId })
    if (decryption.outcome !== 'decrypted')
      throw new OpenIdError('invalid_token', decryption.reason, decryption.outcome === 'unavailable')
    const { content } = decryption
    if (isUtf8(content)) return content.toString('utf8')
    throw new TokenError('its content is not valid UTF-8')
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw new OpenIdError('invalid_token', `a token can not be decrypted: ${error.message}`, false)
  }
}

async function sharedSecret(provider: SecretsProvider, secretId: string | undefined): Promise<Buffer | null> {
  if (secretId === undefined) return null
  return (await provider.active({ secretId, purpose: 'GENERIC' })).revealBytes()
}
