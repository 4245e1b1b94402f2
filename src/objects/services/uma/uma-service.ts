import {
  type AmService,
  AmServiceKind,
  HandlerKind,
  secretsProvider,
  type UmaEndpoints,
  type UmaService as UmaServiceContract,
  UmaServiceKind,
} from '#contracts'
import { Discovery } from '#openid'
import {
  atLeastOneOf,
  clearText,
  config,
  defineType,
  list,
  needs,
  object,
  type Pattern,
  type Runtime,
  ref,
  regex,
  runtime,
  type Secret,
  secretId,
  string,
  url,
} from '#schema'
import { EVENTS } from '../log-events.ts'
import { shareEndpoint } from './share-endpoint.ts'
import { UmaShares } from './uma-shares.ts'

interface Resource {
  readonly pattern: Pattern
  readonly actions: readonly { readonly scopes: readonly string[]; readonly condition: Runtime<boolean> }[]
}

const RESOURCE_FIELD = object({
  pattern: config(regex()).meta({
    description:
      'Paths of the resource, such as `/photos/.*`. A share belongs to the first resource that matches its path.',
  }),
  actions: list(
    object({
      scopes: list(config(string({ nonEmpty: true })))
        .default([])
        .meta({ description: 'Scopes that a request of this action needs.' }),
      condition: runtime('boolean').meta({
        description: "Whether a request is of this action, such as `${request.method == 'GET'}`.",
      }),
    }),
  )
    .default([])
    .meta({ description: 'Actions on the resource. A request that is of no action is denied.' }),
})

const METADATA = ['issuer', 'introspection_endpoint', 'permission_endpoint', 'resource_registration_endpoint']

/** A resource server for UMA. */
export const UmaService = defineType({
  name: 'UmaService',
  kind: UmaServiceKind,
  summary: 'Registers shared resources of users at a UMA 2.0 authorization server.',
  events: [EVENTS.SHARE_NOT_MATCHED, EVENTS.SHARE_NOT_REGISTERED],
  config: {
    protectionApiHandler: ref(HandlerKind).meta({
      description: 'Sends requests to the authorization server: its metadata, and resources to register.',
    }),
    amService: ref(AmServiceKind).optional().meta({
      description:
        'Access manager that is the authorization server, in its realm. Takes precedence over wellKnownEndpoint.',
    }),
    wellKnownEndpoint: config(url()).optional().meta({
      description:
        'Metadata of the authorization server, such as `https://as.example.com/.well-known/uma2-configuration`.',
    }),
    resources: list(RESOURCE_FIELD, { nonEmpty: true }).meta({
      description: 'Resources that can be shared, and the scopes of requests for them.',
    }),
    authorizationServerUri: config(url()).optional().meta({
      description:
        'URL of an access manager of UMA 1.0, such as OpenAM: `oauth2/resource_set`, `uma/permission_request` and `oauth2/introspect` below it are used.',
    }),
    clientId: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description: 'The gateway as a client of a server of UMA 1.0.',
      }),
    clientSecretId: config(secretId()).optional().meta({ description: 'Secret ID of the secret of that client.' }),
    secretsProvider: secretsProvider('that secret'),
  },
  older: [clearText('clientSecret', 'clientSecretId', 'uma.client.secret')],
  rules: [
    atLeastOneOf('amService', 'wellKnownEndpoint', 'authorizationServerUri'),
    needs('authorizationServerUri', 'clientId'),
    needs('authorizationServerUri', 'clientSecretId'),
    needs('clientSecretId', 'secretsProvider'),
  ],
  async create(settings, env): Promise<UmaServiceContract> {
    const { protectionApiHandler: handler, resources } = settings
    const { clock, logger } = env
    const memory = await env.shared('changes', UmaShares.BYTES)
    const shares = new UmaShares(env.sharedStore('uma shares'), env.name, memory, logger)
    const { secretsProvider: secrets, clientSecretId = '' } = settings
    const endpoints = endpointsOf(settings, {
      // No token is judged by the issuer: it names to clients where they get tokens.
      discover: (url) => new Discovery(url, handler, clock, { required: METADATA, admitsAnyIssuer: true }),
      secret: () => secrets.active({ secretId: clientSecretId, purpose: 'GENERIC' }),
    })
    const resourceOf = (path: string): Resource | null =>
      resources.find(({ pattern }) => pattern.matchWhole(path) !== null) ?? null
    const scopesOf = (path: string) => {
      const resource = resourceOf(path)
      return resource === null ? null : [...new Set(resource.actions.flatMap(({ scopes }) => scopes))]
    }
    env.serveEndpoint('share', shareEndpoint({ shares, handler, clock, logger, endpoints, scopesOf }))
    return {
      endpoints,
      findShare: (path) => shares.matching(path),
      requiredScopes: async ({ path }, exchange) => {
        const required = new Set<string>()
        for (const { scopes, condition } of resourceOf(path)?.actions ?? [])
          if ((await condition(exchange)) === true) for (const scope of scopes) required.add(scope)
        return required
      },
    }
  },
})

interface ServerSettings {
  readonly amService?: AmService | undefined
  readonly wellKnownEndpoint?: string | undefined
  readonly authorizationServerUri?: string | undefined
  readonly clientId?: string | undefined
}

function endpointsOf(
  { amService, wellKnownEndpoint, authorizationServerUri, clientId }: ServerSettings,
  { discover, secret }: { discover: (url: string) => Discovery; secret: () => Promise<Secret> },
): () => Promise<UmaEndpoints> {
  const metadataUrl = amService === undefined ? wellKnownEndpoint : metadataOf(amService)
  if (metadataUrl !== undefined) {
    const discovery = discover(metadataUrl)
    return async () => {
      const metadata = await discovery.metadata()
      return {
        version: '2.0',
        server: metadata.issuer,
        registration: metadata['resource_registration_endpoint'] as string,
        permission: metadata['permission_endpoint'] as string,
        introspection: metadata['introspection_endpoint'] as string,
        client: null,
      }
    }
  }
  const base = `${(authorizationServerUri as string).replace(/\/+$/, '')}/`
  const endpoints: UmaEndpoints = {
    version: '1.0',
    server: base,
    registration: `${base}oauth2/resource_set`,
    permission: `${base}uma/permission_request`,
    introspection: `${base}oauth2/introspect`,
    client: { id: clientId as string, secret },
  }
  return async () => endpoints
}

/** `<url>/uma/realms/root[/realms/x]/.well-known/uma2-configuration`. */
function metadataOf(amService: AmService): string {
  const realm = amService.oauth2Uri('').toString().slice(`${amService.url}/oauth2`.length)
  return `${amService.url}/uma${realm.replace(/\/+$/, '')}/.well-known/uma2-configuration`
}
