import { type AmService as AccessManager, AmServiceKind } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { type Exchange, type Handler, respond } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { AssignmentFilter } from '../../src/objects/filters/assignment/assignment-filter.ts'
import { CrossDomainSingleSignOnFilter } from '../../src/objects/filters/cross-domain-single-sign-on/cross-domain-single-sign-on-filter.ts'
import { PolicyEnforcementFilter } from '../../src/objects/filters/policy-enforcement/policy-enforcement-filter.ts'
import { SingleSignOnFilter } from '../../src/objects/filters/single-sign-on/single-sign-on-filter.ts'
import { StaticResponseHandler } from '../../src/objects/handlers/static-response/static-response-handler.ts'
import { RequestResourceUriProvider } from '../../src/objects/resource-uris/request/request-resource-uri-provider.ts'
import { ScriptableResourceUriProvider } from '../../src/objects/resource-uris/scriptable/scriptable-resource-uri-provider.ts'
import { accessManagerOptions } from './am-service.ts'
import { type Built, build, type ManualClock, manualClock } from './build.ts'
import { textOf } from './client.ts'
import { exchangeFor } from './exchange.ts'
import { type ManagerNotifications, managerNotifications } from './manager-notifications.ts'
import { probeHandler } from './probe-handler.ts'

/** A response as the client receives it. */
export interface Page {
  readonly status: number
  readonly location: URL | null
  readonly challenge: string | null
  readonly retryAfter: string | null
  readonly cacheControl: string | null
  readonly cookies: readonly string[]
  readonly text: string
}

/** A request for a page. */
export interface PageRequest {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/** Pages behind filters, with a development access manager whose notifications can be disconnected. */
export interface ProtectedPages extends AsyncDisposable, ManagerNotifications {
  readonly manager: DevelopmentAccessManager
  readonly built: Built<Handler>
  readonly clock: ManualClock
  /** The last exchange, if it reached the application; otherwise null. */
  readonly passed: Exchange | null
  /** Number of decision requests to the access manager. */
  readonly decisionRequestCount: number
  readonly lastDecisionRequest: JsonObject
  /** Requests a page with the cookie of a session. */
  ask(session: string | null, request?: PageRequest): Promise<Page>
  /** Sends a form. */
  post(url: string, form: string, headers: Readonly<Record<string, string>>): Promise<Page>
}

/** The page that is requested by default; the policies of tests apply to it. */
export const PAGE = 'http://app.example/page?x=1'

/** Authenticated users may read the pages. */
export const READERS = {
  name: 'pages',
  resources: ['http://app.example/*', 'http://app.example/*?*'],
  actionValues: { GET: true, POST: false },
  subject: { type: 'AuthenticatedUsers' as const },
}

const TYPES = [
  AssignmentFilter,
  CrossDomainSingleSignOnFilter,
  PolicyEnforcementFilter,
  RequestResourceUriProvider,
  ScriptableResourceUriProvider,
  SingleSignOnFilter,
  StaticResponseHandler,
]

/** The policy filter of a configuration; the subject is the session of the cookie. */
export const policy = (config: JsonObject = {}): JsonObject => ({
  type: 'PolicyEnforcementFilter',
  config: {
    amService: 'am',
    ssoTokenSubject: "${request.cookies['iPlanetDirectoryPro'][0].value}",
    ...config,
  },
})

/** The single sign-on filter of a configuration. */
export const singleSignOn = (config: JsonObject = {}): JsonObject => ({
  type: 'SingleSignOnFilter',
  config: { amService: 'am', ...config },
})

/** Starts an access manager and builds a chain of filters in front of an application. */
export async function protectedPages(
  filters: readonly JsonValue[],
  {
    manager: options = {},
    am = {},
    units = 1,
  }: { manager?: Parameters<typeof DevelopmentAccessManager.start>[0]; am?: JsonObject; units?: number } = {},
): Promise<ProtectedPages> {
  const clock = manualClock(Date.now())
  // One clock for both: the gateway would reject tokens issued later than its own time.
  const manager = await DevelopmentAccessManager.start({ clock, ...options })
  const around = accessManagerOptions(manager.url, {
    notifications: { reconnectDelay: '10 milliseconds' },
    ...am,
  })
  const application = probeHandler((exchange) => {
    passed = exchange
    return respond(200, {}, 'application')
  })
  let passed: Exchange | null = null
  const built = await buildChain().catch(async (error: unknown) => {
    await manager.close()
    throw error
  })
  const service = (await built.heap.find('am', AmServiceKind)) as AccessManager
  const notifications = service.notifications === null ? NO_NOTIFICATIONS : await managerNotifications(manager, service)
  const asked = () => manager.requests('policies')

  function buildChain(): Promise<Built<Handler>> {
    const chain = around.types.find(({ name }) => name === 'Chain')!
    return build<Handler>(
      chain as never,
      { filters: [...filters], handler: { type: application.name } },
      {
        clock,
        units,
        types: [...around.types.filter((each) => each !== chain), ...TYPES, application],
        heap: around.heap,
      },
    )
  }

  async function answered(exchange: Exchange, url: string): Promise<Page> {
    const response = await built.object(exchange)
    const location = response.headers.get('location')
    return {
      status: response.status,
      location: location === null ? null : new URL(location, url),
      challenge: response.headers.get('www-authenticate'),
      retryAfter: response.headers.get('retry-after'),
      cacheControl: response.headers.get('cache-control'),
      cookies: response.headers.all('set-cookie'),
      text: await textOf(response),
    }
  }

  return {
    manager,
    built,
    clock,
    ...notifications,
    get passed() {
      return passed
    },
    get decisionRequestCount() {
      return asked().length
    },
    get lastDecisionRequest() {
      return JSON.parse(asked().at(-1)?.body ?? '{}') as JsonObject
    },
    ask(session, { method = 'GET', url = PAGE, headers = {} } = {}) {
      passed = null
      const cookie = session === null ? {} : { Cookie: `iPlanetDirectoryPro=${session}` }
      return answered(exchangeFor(method, url, { headers: { ...cookie, ...headers } }), url)
    },
    post(url, body, headers) {
      passed = null
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
      return answered(exchangeFor('POST', url, { headers: { ...type, ...headers }, body }), url)
    },
    async [Symbol.asyncDispose]() {
      await built[Symbol.asyncDispose]()
      await manager.close()
    },
  }
}

const disabled = () => Promise.reject(new Error('notifications are disabled'))
const NO_NOTIFICATIONS: ManagerNotifications = { disconnect: disabled, reconnect: disabled, received: disabled }
