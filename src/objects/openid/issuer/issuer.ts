import {
  HandlerKind,
  type Issuer as IssuerContract,
  IssuerKind,
  type SecretsProvider,
  secretsProvider,
} from '#contracts'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { Discovery, OpenIdError, type ServerMetadata } from '#openid'
import {
  atMostOneOf,
  boolean,
  config,
  defineType,
  duration,
  type Environment,
  json,
  list,
  needs,
  type Pattern,
  ref,
  regex,
  renames,
  secretId,
  string,
  url,
} from '#schema'
import { configuredKeys, publishedKeys, signatureProblem } from '../../lib/tokens/id-token-keys.ts'
import { providerHandler, TRUST_FIELD } from '../../lib/tokens/provider-client.ts'

/** An authorization server where users log in. */
export const Issuer = defineType({
  name: 'Issuer',
  kind: IssuerKind,
  summary: 'Authorization server or OpenID provider: its metadata or endpoints.',
  config: {
    wellKnownEndpoint: config(url())
      .optional()
      .meta({ description: 'URL of the metadata, often `<issuer>/.well-known/openid-configuration`.' }),
    authorizeEndpoint: config(url())
      .optional()
      .meta({ description: 'URL to which browsers are redirected for login.' }),
    tokenEndpoint: config(url()).optional().meta({ description: 'URL where codes are exchanged for tokens.' }),
    userInfoEndpoint: config(url()).optional().meta({ description: 'URL of the user info of a token.' }),
    endSessionEndpoint: config(url())
      .optional()
      .meta({ description: 'URL to which browsers are redirected for logout.' }),
    revocationEndpoint: config(url()).optional().meta({ description: 'URL where tokens are revoked.' }),
    registrationEndpoint: config(url())
      .optional()
      .meta({ description: 'URL where clients register.', unsupported: 'clients are registered by hand' }),
    jwksUri: config(url())
      .optional()
      .meta({ description: 'URL of the keys of ID tokens, if the metadata do not have it.' }),
    issuer: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'The `iss` of ID tokens, if the metadata do not have it, or have another one than that of their URL.',
      }),
    idTokenVerificationSecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret ID of keys that verify ID tokens, instead of the published ones.' }),
    idTokenSkewAllowance: config(duration({ unlimited: false, max: '10 minutes' }))
      .default('0 seconds')
      .meta({ description: 'Allowed clock skew of the server.' }),
    secretsProvider: secretsProvider('the keys'),
    issuerHandler: ref(HandlerKind).default('ClientHandler').meta({
      description:
        'Sends requests to the server: for metadata and keys, and those of registrations without their own handler.',
    }),
    trust: TRUST_FIELD,
    issuerRepository: json().optional().meta({
      description: 'Repository of discovered issuers.',
      unsupported: 'issuers are configured, not discovered',
    }),
    issParameterSupported: config(boolean()).optional().meta({
      description:
        'Whether authorization responses must have the parameter `iss` (RFC 9207); by default as the metadata state. If not, and the filter has several issuers, the registration has a redirect URI of its own.',
    }),
    supportedDomains: list(regex())
      .default([])
      .meta({ description: 'Patterns of the mail domains of its users, for `login?discovery=<mail address>`.' }),
  },
  older: renames({
    well_known: 'wellKnownEndpoint',
    authorization_endpoint: 'authorizeEndpoint',
    token_endpoint: 'tokenEndpoint',
    userinfo_endpoint: 'userInfoEndpoint',
    end_session_endpoint: 'endSessionEndpoint',
    revocation_endpoint: 'revocationEndpoint',
    registration_endpoint: 'registrationEndpoint',
  }),
  rules: [
    needs('authorizeEndpoint', 'tokenEndpoint'),
    needs('idTokenVerificationSecretId', 'secretsProvider'),
    atMostOneOf('trust', 'issuerHandler'),
  ],
  check: ({ wellKnownEndpoint, authorizeEndpoint }, report) => {
    if (wellKnownEndpoint === undefined && authorizeEndpoint === undefined)
      report('', 'expected wellKnownEndpoint, or authorizeEndpoint and tokenEndpoint')
  },
  create: async ({ trust, ...config }, env) => {
    const issuerHandler = await providerHandler(trust, config.issuerHandler, env)
    return issuerOf({ ...config, issuerHandler }, env)
  },
})

interface Settings {
  readonly wellKnownEndpoint?: string | undefined
  readonly authorizeEndpoint?: string | undefined
  readonly tokenEndpoint?: string | undefined
  readonly userInfoEndpoint?: string | undefined
  readonly endSessionEndpoint?: string | undefined
  readonly revocationEndpoint?: string | undefined
  readonly jwksUri?: string | undefined
  readonly issuer?: string | undefined
  readonly idTokenVerificationSecretId?: string | undefined
  readonly idTokenSkewAllowance: number
  readonly issParameterSupported?: boolean | undefined
  readonly secretsProvider: SecretsProvider
  readonly issuerHandler: Handler
  readonly supportedDomains: readonly Pattern[]
}

function issuerOf(settings: Settings, env: Environment): IssuerContract {
  const { issuerHandler, idTokenVerificationSecretId, secretsProvider } = settings
  const metadata = metadataOf(settings, env)
  const jwksUri = async (): Promise<string> => {
    const uri = (await metadata())['jwks_uri']
    if (typeof uri === 'string') return uri
    throw new OpenIdError('server_error', 'no jwks_uri is known, so that ID tokens can not be verified', false)
  }
  const keys =
    idTokenVerificationSecretId === undefined
      ? publishedKeys(jwksUri, issuerHandler, env)
      : configuredKeys(secretsProvider, idTokenVerificationSecretId)
  return {
    name: env.localName,
    metadata,
    handler: issuerHandler,
    // A pattern has to match the whole name: a partial match would admit every domain that contains it.
    servesDomain: (domain) => settings.supportedDomains.some((pattern) => pattern.matchWhole(domain) !== null),
    idTokenSkew: settings.idTokenSkewAllowance,
    signatureProblem: (jwt, sharedSecret) => signatureProblem(jwt, keys, sharedSecret),
  }
}

/** The configuration takes precedence over the metadata of the server. */
function metadataOf(settings: Settings, env: Environment): () => Promise<ServerMetadata> {
  const configured: JsonObject = Object.fromEntries(
    Object.entries({
      issuer: settings.issuer,
      authorization_endpoint: settings.authorizeEndpoint,
      token_endpoint: settings.tokenEndpoint,
      userinfo_endpoint: settings.userInfoEndpoint,
      end_session_endpoint: settings.endSessionEndpoint,
      revocation_endpoint: settings.revocationEndpoint,
      jwks_uri: settings.jwksUri,
      authorization_response_iss_parameter_supported: settings.issParameterSupported,
    }).filter((member): member is [string, string | boolean] => member[1] !== undefined),
  )
  if (settings.wellKnownEndpoint === undefined) {
    // Without `issuer` every ID token is rejected; OAuth 2.0 without OpenID Connect does not need it.
    const named = {
      issuer: new URL(settings.authorizeEndpoint as string).origin,
      ...configured,
    } as unknown as ServerMetadata
    return async () => named
  }
  const discovery = new Discovery(settings.wellKnownEndpoint, settings.issuerHandler, env.clock, { configured })
  return () => discovery.metadata()
}
