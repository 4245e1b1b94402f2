import type { JsonObject } from '#json'
import { introspectionServer } from './introspection-server.ts'
import { httpUpstream } from './upstream.ts'
import { webSocketUpstream } from './websocket.ts'

/** Part of each secret of the load. */
export const SECRET = 'hush-7f3a'
/** Basic credentials of the load. */
export const BASIC = btoa(`ada:${SECRET}`)
export const ADMIN_PASSWORD = `admin-${SECRET}`
export const TOKENS = { valid: `valid-${SECRET}`, narrow: `narrow-${SECRET}`, unknown: `unknown-${SECRET}` }

/** Resolves for a path when its request is at the application. */
export const arrivals = new Map<string, () => void>()
/** Truncates the response of a path. */
export const truncations = new Map<string, () => void>()

const route = (path: string, handler: JsonObject | string, more: JsonObject = {}): JsonObject => ({
  condition: `\${find(request.uri.path, '^/${path}')}`,
  handler,
  ...more,
})
const say = (status: number): JsonObject => ({
  type: 'StaticResponseHandler',
  config: { status, headers: { 'Set-Cookie': [`session=${SECRET}`], Location: [`/x?code=${SECRET}`] } },
})
const behind = (type: string, config: JsonObject): JsonObject => ({
  type: 'Chain',
  config: { filters: [{ type, config }], handler: say(200) },
})

const LOCAL: Readonly<Record<string, JsonObject>> = {
  ok: route('ok', say(200)),
  moved: route('moved', say(302)),
  denied: route('denied', behind('ConditionEnforcementFilter', { condition: '${false}' })),
  busy: route(
    'busy',
    behind('ThrottlingFilter', {
      requestGroupingPolicy: 'all',
      rate: { numberOfRequests: 1, duration: '1 hour' },
    }),
  ),
  broken: route('broken', {
    type: 'ScriptableHandler',
    config: { type: 'application/javascript', source: `throw new Error('${SECRET}')` },
  }),
  away: route('away', { type: 'ReverseProxyHandler', baseURI: 'http://127.0.0.1:1', config: {} }),
  session: route(
    'session',
    behind('AssignmentFilter', {
      onRequest: [
        { target: '${session.username}', value: 'grace' },
        { target: '${session.note}', value: SECRET },
      ],
    }),
  ),
  pay: route(
    'pay',
    behind('AuditFilter', {
      topic: 'payment',
      fields: { account: 'ada', status: '${response.status.code}', card: SECRET },
    }),
  ),
}

/** Schema of the topic `payment`, whose policies leave out the field `card`. */
export const PAYMENT: JsonObject = {
  schema: {
    type: 'object',
    properties: { account: { type: 'string' }, status: { type: 'integer' }, card: { type: 'string' } },
  },
  filterPolicies: { field: { includeIf: ['/account', '/status'] } },
  required: ['account', 'status'],
}

interface LoadRoutes extends AsyncDisposable {
  readonly routes: Readonly<Record<string, JsonObject>>
}

/** Routes for all kinds of requests, with their upstreams in this process. */
export async function loadRoutes(): Promise<LoadRoutes> {
  await using opening = new AsyncDisposableStack()
  const application = opening.use(await startApplication())
  const sockets = opening.use(await webSocketUpstream())
  const provider = opening.use(await introspectionServer())
  provider.tokens.set(TOKENS.valid, { active: true, scope: 'read', sub: 'ada' })
  provider.tokens.set(TOKENS.narrow, { active: true, scope: 'write', sub: 'ada' })
  const resolver = {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { endpoint: provider.endpoint, providerHandler: 'ClientHandler' },
  }
  const token = behind('OAuth2ResourceServerFilter', {
    ...{ scopes: ['read'], requireHttps: false, accessTokenResolver: resolver },
    cache: { enabled: true, maxTimeout: '1 minute' },
  })
  const upgrade = { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } }
  const stack = opening.move()
  return {
    routes: {
      ...LOCAL,
      token: route('token', token),
      proxied: route('(?:sse|endless|silent|status|truncated)', 'ReverseProxyHandler', { baseURI: application.url }),
      sockets: route('ws', upgrade, { baseURI: sockets.url }),
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function startApplication() {
  return httpUpstream(({ url = '' }, response) => {
    arrivals.get(url)?.()
    const [, kind, name] = url.split('/')
    if (kind === 'silent') return
    if (kind === 'status') {
      response.writeHead(Number(name), { 'Set-Cookie': `a=${SECRET}` }).end(SECRET)
      return
    }
    if (kind === 'truncated') {
      truncations.set(url, () => response.destroy())
      response.writeHead(200, { 'Content-Length': 1_000, 'Set-Cookie': `a=${SECRET}` }).write(SECRET)
      return
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Set-Cookie': `a=${SECRET}` })
    response.write(`data: ${SECRET}\n\n`)
    if (kind !== 'sse') return
    response.write('data: 2\n\n')
    response.end('data: 3\n\n')
  })
}
