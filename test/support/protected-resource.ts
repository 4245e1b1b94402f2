import { type AmService as AccessManager, AmServiceKind } from '#contracts'
import { DevelopmentAccessManager, REVOCATION_TOPIC } from '#dev'
import { type Exchange, type Filter, type Handler, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import type { TypeDefinition } from '#schema'
import { HttpBasicAuthenticationClientFilter } from '../../src/objects/filters/http-basic-authentication-client/http-basic-authentication-client-filter.ts'
import { OAuth2ResourceServerFilter } from '../../src/objects/filters/oauth2-resource-server/oauth2-resource-server-filter.ts'
import { TransactionIdOutboundFilter } from '../../src/objects/filters/transaction-id-outbound/transaction-id-outbound-filter.ts'
import { Chain } from '../../src/objects/handlers/chain/chain.ts'
import { ClientHandler } from '../../src/objects/handlers/reverse-proxy/client-handler.ts'
import { CacheAccessTokenResolver } from '../../src/objects/resolvers/cache/cache-access-token-resolver.ts'
import { TokenIntrospectionAccessTokenResolver } from '../../src/objects/resolvers/token-introspection/token-introspection-access-token-resolver.ts'
import { AmService } from '../../src/objects/services/am/am-service.ts'
import { NoOpAuditService } from '../../src/objects/services/no-op-audit/no-op-audit-service.ts'
import { ScheduledExecutorService } from '../../src/objects/services/scheduled-executor/scheduled-executor-service.ts'
import { Base64EncodedSecretStore } from '../../src/objects/stores/base64-encoded/base64-encoded-secret-store.ts'
import { amServiceConfig } from './am-service.ts'
import { type Built, build, type ManualClock, manualClock } from './build.ts'
import { textOf } from './client.ts'
import { type ExchangeParts, exchangeFor } from './exchange.ts'
import { managerNotifications } from './manager-notifications.ts'

const TYPES: readonly TypeDefinition[] = [
  AmService,
  Base64EncodedSecretStore,
  CacheAccessTokenResolver,
  Chain,
  ClientHandler,
  HttpBasicAuthenticationClientFilter,
  NoOpAuditService,
  ScheduledExecutorService,
  TokenIntrospectionAccessTokenResolver,
  TransactionIdOutboundFilter,
]

const HEAP: readonly JsonValue[] = [
  { name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' },
  { name: 'ClientHandler', type: 'ClientHandler' },
  {
    name: 'ForgeRockClientHandler',
    type: 'Chain',
    config: { filters: [{ type: 'TransactionIdOutboundFilter' }], handler: 'ClientHandler' },
  },
  { name: 'AuditService', type: 'NoOpAuditService' },
  {
    name: 'secrets',
    type: 'Base64EncodedSecretStore',
    config: { secrets: { 'agent.password': btoa('password') } },
  },
  {
    name: 'asAgent',
    type: 'Chain',
    config: {
      filters: [
        {
          type: 'HttpBasicAuthenticationClientFilter',
          config: { username: 'ig_agent', passwordSecretId: 'agent.password', secretsProvider: 'secrets' },
        },
      ],
      handler: 'ForgeRockClientHandler',
    },
  },
]

/** A response as the client receives it. */
export interface ResourceResponse {
  readonly status: number
  readonly challenges: readonly string[]
  readonly retryAfter: string | null
  readonly cacheControl: string | null
  readonly text: string
}

/** An application behind an OAuth2ResourceServerFilter. */
export interface ProtectedResource extends AsyncDisposable {
  readonly built: Built<Filter>
  readonly clock: ManualClock
  /** The last exchange that reached the application. */
  readonly passed: Exchange | null
  ask(authorization: string | readonly string[] | null, url?: string, parts?: ExchangeParts): Promise<ResourceResponse>
  /** The status for a bearer token. */
  status(token: string): Promise<number>
}

/** Builds the filter of a configuration as a user writes it; `heap` may replace default objects by name. */
export async function protectedResource(
  config: JsonObject,
  heap: readonly JsonObject[] = [],
  types: readonly TypeDefinition[] = [],
): Promise<ProtectedResource> {
  const clock = manualClock(Date.now())
  const own = new Set(heap.map(({ name }) => name))
  const built = await build<Filter>(
    OAuth2ResourceServerFilter,
    { scopes: [], ...config },
    {
      clock,
      types: [...TYPES, ...types],
      heap: [...HEAP.filter((each) => !own.has((each as JsonObject)['name']!)), ...heap],
    },
  )
  let passed: Exchange | null = null
  const application: Handler = async (exchange) => {
    passed = exchange
    return respond(200, {}, 'application')
  }
  const ask: ProtectedResource['ask'] = async (authorization, url = 'https://app.example/', parts = {}) => {
    const headers = { ...(authorization !== null && { Authorization: authorization }), ...parts.headers }
    const response = await built.object(exchangeFor('GET', url, { ...parts, headers }), application)
    return {
      status: response.status,
      challenges: response.headers.all('www-authenticate'),
      retryAfter: response.headers.get('retry-after'),
      cacheControl: response.headers.get('cache-control'),
      text: await textOf(response),
    }
  }
  return {
    built,
    clock,
    get passed() {
      return passed
    },
    ask,
    status: async (token) => (await ask(`Bearer ${token}`)).status,
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

/** A resource that is protected by a development access manager, whose notifications can be disconnected and reconnected. */
export interface ManagedResource extends ProtectedResource {
  readonly manager: DevelopmentAccessManager
  /** Number of introspection requests to the access manager. */
  readonly introspections: number
  /** Disconnects the notification service, and waits until the gateway has noticed. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
  /** Resolves when the gateway receives the next revocation notification. */
  revocation(): Promise<void>
}

/** A resolver that introspects tokens at the development access manager. */
export const INTROSPECTING: JsonObject = {
  type: 'TokenIntrospectionAccessTokenResolver',
  config: { amService: 'am', providerHandler: 'asAgent' },
}

/** Starts both; the access manager is `am` in the heap. */
export async function managedResource(config: JsonObject): Promise<ManagedResource> {
  const manager = await DevelopmentAccessManager.start()
  const am = {
    name: 'am',
    type: 'AmService',
    config: amServiceConfig(manager.url, { notifications: { reconnectDelay: '10 milliseconds' } }),
  }
  const resource = await protectedResource({ accessTokenResolver: INTROSPECTING, ...config }, [am]).catch(
    async (error: unknown) => {
      await manager.close()
      throw error
    },
  )
  const service = (await resource.built.heap.find('am', AmServiceKind)) as AccessManager
  const notifications = await managerNotifications(manager, service)
  return Object.defineProperties(
    {
      manager,
      disconnect: notifications.disconnect,
      reconnect: notifications.reconnect,
      revocation: () => notifications.received(REVOCATION_TOPIC),
      async [Symbol.asyncDispose]() {
        await resource[Symbol.asyncDispose]()
        await manager.close()
      },
      ask: resource.ask,
      status: resource.status,
      built: resource.built,
      clock: resource.clock,
    },
    {
      passed: { get: () => resource.passed },
      introspections: { get: () => manager.requests('introspect').length },
    },
  ) as unknown as ManagedResource
}
