// Decisions in access events of a whole gateway: refusals of the gateway have one, those of upstreams have none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { accessEvents, auditedRoot, part, TO_FILE } from '#test/audited-gateway'
import { RunningGateway } from '#test/gateway'
import { httpUpstream } from '#test/upstream'

/** Status and decision of the event of each request, by path. */
async function decisions(gateway: RunningGateway, paths: readonly string[]): Promise<Record<string, JsonObject>> {
  for (const path of paths) await (await fetch(gateway.url + path)).arrayBuffer()
  const events = await accessEvents(gateway.instance, paths.length)
  return Object.fromEntries(
    events.map((event) => {
      const { pathname } = new URL(String(part(event, 'http', 'request')['path']))
      const { result = null, by = null, reason = null } = part(event, 'gateway', 'decision')
      return [pathname, { status: part(event, 'response')['statusCode'] ?? null, result, by, reason }]
    }),
  )
}

const none = (status: string) => ({ status, result: null, by: null, reason: null })

test('a status that an upstream chose is no decision, whatever passed it on', async () => {
  // The last part of the path is the status.
  await using upstream = await httpUpstream(({ url = '' }, response) => {
    response.writeHead(Number(url.split('/').at(-1)), { 'Content-Length': '0' }).end()
  })
  const script = (source: string): JsonObject => ({
    name: 'script',
    type: 'ScriptableFilter',
    config: { type: 'application/javascript', source },
  })
  const passing = (filter: JsonObject, path: string): JsonObject => ({
    condition: `\${find(request.uri.path, '^/${path}/')}`,
    baseURI: upstream.url,
    handler: { type: 'Chain', config: { filters: [filter], handler: 'ReverseProxyHandler' } },
  })
  const root = auditedRoot(TO_FILE)
  const proxy = { name: 'otherwise', type: 'ReverseProxyHandler', baseURI: upstream.url }
  const router = { name: '_router', type: 'Router', config: { defaultHandler: 'otherwise' } }
  const [service] = root['heap'] as JsonObject[]
  await using gateway = await RunningGateway.start({
    files: { 'config/config.json': { ...root, heap: [service as JsonObject, proxy, router] } },
    routes: {
      passed: passing(script('return next.handle(request)'), 'passed'),
      replaced: passing(script('await next.handle(request); return new Response(403)'), 'replaced'),
    },
  })
  const found = await decisions(gateway, ['/other/404', '/other/403', '/passed/403', '/passed/503', '/replaced/200'])
  assert.deepEqual(found, {
    '/other/404': none('404'),
    '/other/403': none('403'),
    '/passed/403': none('403'),
    '/passed/503': none('503'),
    '/replaced/200': {
      status: '403',
      result: 'DENIED',
      by: 'gateway+_router+replaced+script',
      reason: 'response of the script',
    },
  })
})

test('the failure of a handler outside of routes names the object and the error', async () => {
  const client = { name: 'client', type: 'ClientHandler', baseURI: 'http://127.0.0.1:1' }
  const [service] = auditedRoot(TO_FILE)['heap'] as JsonObject[]
  await using gateway = await RunningGateway.start({
    files: { 'config/config.json': { handler: 'client', heap: [service as JsonObject, client] } },
  })
  assert.deepEqual(await decisions(gateway, ['/x']), {
    '/x': { status: '502', result: 'FAILED', by: 'gateway+client', reason: 'GW_UPSTREAM_CONNECT' },
  })
})

test('the refusal of an open circuit is the decision, whatever openHandler responds with', async () => {
  const fallback = { type: 'StaticResponseHandler', config: { status: 503 } }
  const circuitBreaker = { maxFailures: 1, openDuration: '1 hour', openHandler: fallback }
  const proxy: JsonObject = { name: 'proxy', type: 'ReverseProxyHandler', config: { circuitBreaker } }
  await using gateway = await RunningGateway.start({
    files: { 'config/config.json': auditedRoot(TO_FILE) },
    routes: { shop: { baseURI: 'http://127.0.0.1:1', handler: proxy } },
  })
  const by = 'gateway+_router+shop+proxy'
  assert.deepEqual(await decisions(gateway, ['/1', '/2']), {
    '/1': { status: '502', result: 'FAILED', by, reason: 'GW_UPSTREAM_CONNECT' },
    '/2': { status: '503', result: 'FAILED', by, reason: 'the circuit is open' },
  })
})

test('the reason of a script that fails is a code of the gateway, whatever the script put into its error', async () => {
  const source = "throw Object.assign(new Error('refused'), { code: 'a token' })"
  const script: JsonObject = {
    name: 'thrower',
    type: 'ScriptableHandler',
    config: { type: 'application/javascript', source },
  }
  await using gateway = await RunningGateway.start({
    files: { 'config/config.json': auditedRoot(TO_FILE) },
    routes: { script: { handler: script } },
  })
  assert.deepEqual(await decisions(gateway, ['/x']), {
    '/x': { status: '500', result: 'FAILED', by: 'gateway+_router+script+thrower', reason: 'GW_SCRIPT_FAILED' },
  })
})

test('a request whose token lacks a scope has the user of the token, beside the decision', async () => {
  const source = "return { sub: 'demo', scope: 'read' }"
  const resolver: JsonObject = {
    type: 'ScriptableAccessTokenResolver',
    config: { type: 'application/javascript', source },
  }
  const filter: JsonObject = {
    name: 'protect',
    type: 'OAuth2ResourceServerFilter',
    config: { accessTokenResolver: resolver, scopes: ['write'], requireHttps: false },
  }
  await using gateway = await RunningGateway.start({
    files: { 'config/config.json': auditedRoot(TO_FILE) },
    routes: { api: { handler: { type: 'Chain', config: { filters: [filter], handler: { type: 'WelcomeHandler' } } } } },
  })
  const { status } = await fetch(gateway.url, { headers: { Authorization: 'Bearer of-demo' } })
  const [event] = await accessEvents(gateway.instance, 1)
  assert.deepEqual([status, event?.['userId']], [403, 'demo'])
  const { result, rule } = part(event as JsonObject, 'gateway', 'decision')
  assert.deepEqual([result, rule], ['DENIED', 'write'])
})
