import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, type Filter, respond } from '#http'
import { type JsonObject, jsonNumber } from '#json'
import type { ObjectOperation, ObjectResource } from '#schema'
import { build, manualClock } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { type UmaServer, umaServer } from '#test/uma-server'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { UmaService } from '../../services/uma/uma-service.ts'
import { UmaFilter } from './uma-filter.ts'

const PAT = 'protection-api-token'
const Secrets = secretsType({ 'uma.secret': 'client-password' })
const ACTIONS = [
  { scopes: ['view'], condition: "${request.method == 'GET'}" },
  { scopes: ['view', 'edit'], condition: "${request.method == 'PUT'}" },
]

async function withFilter(server: UmaServer, config: JsonObject = {}, service: JsonObject = {}) {
  const clock = manualClock()
  const handler = { type: 'ClientHandler' }
  const given = {
    protectionApiHandler: handler,
    wellKnownEndpoint: server.wellKnown,
    resources: [
      { pattern: '/photos/.*', actions: ACTIONS },
      { pattern: '/nothing/.*' },
      { pattern: '/broken/.*', actions: [{ scopes: ['view'], condition: '${request.method - 1 == 0}' }] },
    ],
    ...service,
  }
  const built = await build<Filter>(
    UmaFilter,
    { protectionApiHandler: handler, umaService: 'uma', ...config },
    {
      clock,
      types: [ClientHandler, UmaService, Secrets],
      heap: [{ name: 'uma', type: 'UmaService', config: given } as never],
    },
  )
  const shares = async (operation: ObjectOperation) => {
    const endpoint = built.endpoints.get('share')
    assert.ok(endpoint !== undefined)
    return endpoint(operation)
  }
  return {
    built,
    clock,
    shares,
    async share(path: string, pat = PAT): Promise<ObjectResource> {
      const result = await shares({ verb: 'create', content: { path, pat } })
      assert.ok('resources' in result, JSON.stringify(result))
      return result.resources[0] as ObjectResource
    },
    async send(path: string, token: string | null = null, method = 'GET', remoteAddress = '192.0.2.1') {
      const headers = token === null ? {} : { Authorization: `Bearer ${token}` }
      let passed: Exchange | null = null
      const response = await built.object(
        exchangeFor(method, `http://app.example${path}`, { headers, client: { remoteAddress } }),
        async (inside) => {
          passed = inside
          return respond(200)
        },
      )
      return { status: response.status, headers: response.headers, isPassed: passed !== null }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const grant = (share: ObjectResource, scopes: readonly string[], more: JsonObject = {}): JsonObject => ({
  active: true,
  permissions: [{ resource_id: share.content['resource_set_id'] as string, resource_scopes: [...scopes], ...more }],
})

test('a request without a token gets a ticket for the scopes that it needs', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server, { realm: 'the "photos"' })
  const share = await filter.share('/photos/alice/.*')
  const { status, headers, isPassed } = await filter.send('/photos/alice/1')
  assert.deepEqual([status, isPassed, headers.get('cache-control')], [401, false, 'no-store'])
  const expected = `UMA realm="the \\"photos\\"", as_uri="${server.url}/uma", ticket="ticket-2"`
  assert.equal(headers.get('www-authenticate'), expected)
  const asked = server.calls.at(-1)
  assert.equal(asked?.authorization, `Bearer ${PAT}`)
  const id = share.content['resource_set_id']
  assert.deepEqual(JSON.parse(asked?.body ?? ''), [{ resource_id: id, resource_scopes: ['view'] }])
})

test('a client address gets a bounded number of tickets, which other addresses and tokens with permissions do not share', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server, { ticketRate: { numberOfRequests: 3, duration: '1 minute' } })
  const share = await filter.share('/photos/alice/.*')
  server.tokens.set('viewer', grant(share, ['view']))
  const statusOf = async (token: string | null = null) => (await filter.send('/photos/alice/1', token)).status
  assert.deepEqual([await statusOf(), await statusOf('junk'), await statusOf()], [401, 401, 401])
  const tickets = () => server.calls.filter(({ target }) => target.endsWith('/permission_request')).length
  const { status, headers, isPassed } = await filter.send('/photos/alice/1')
  assert.deepEqual([status, headers.get('retry-after'), isPassed, tickets()], [429, '20', false, 3])
  assert.equal(await statusOf('viewer'), 200)
  assert.equal((await filter.send('/photos/alice/1', null, 'GET', '192.0.2.9')).status, 401)
  for (const [host, expected] of [1, 2, 3, 4].map((n) => [n, n < 4 ? 401 : 429])) {
    const { status } = await filter.send('/photos/alice/1', null, 'GET', `2001:db8:1:2:${host}::1`)
    assert.equal(status, expected, 'a network of IPv6 is one address')
  }
  filter.clock.advance(20_000)
  assert.equal(await statusOf(), 401)
})

test('a token passes with every scope that the request needs, and with less gets a ticket', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  const share = await filter.share('/photos/alice/.*')
  server.tokens.set('viewer', grant(share, ['view']))
  assert.deepEqual((await filter.send('/photos/alice/1', 'viewer')).status, 200)
  assert.match(server.calls.at(-1)?.body ?? '', /^token=viewer&token_type_hint=requesting_party_token$/)
  const { status, headers } = await filter.send('/photos/alice/1', 'viewer', 'PUT')
  assert.deepEqual([status, /error="insufficient_scope"$/.test(headers.get('www-authenticate') ?? '')], [401, true])
  server.tokens.set('editor', grant(share, ['edit', 'view', 'more']))
  assert.equal((await filter.send('/photos/alice/1', 'editor', 'PUT')).status, 200)
})

test('times are read in every notation of numbers', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  const share = await filter.share('/photos/alice/.*')
  for (const [text, status] of [
    ['1.8e9', 200],
    ['1800000000.0', 200],
    ['1.6e9', 401],
  ] as const) {
    const exp = jsonNumber(text) as unknown as number
    server.tokens.set('whole', { ...grant(share, ['view']), exp })
    server.tokens.set('part', grant(share, ['view'], { exp }))
    for (const token of ['whole', 'part']) assert.equal((await filter.send('/photos/alice/1', token)).status, status)
  }
})

test('tokens that are not active, expired, or of another resource get a ticket', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  const share = await filter.share('/photos/alice/.*')
  const past = filter.clock.now() / 1_000 - 1
  const cases: [JsonObject, string][] = [
    [{ active: false }, 'invalid_token'],
    [{ ...grant(share, ['view']), active: 'true' }, 'invalid_token'],
    [{ ...grant(share, ['view']), exp: past }, 'invalid_token'],
    [{ ...grant(share, ['view']), nbf: past + 60 }, 'invalid_token'],
    [{ ...grant(share, ['view']), typ: 'ID' }, 'invalid_token'],
    [grant(share, ['view'], { exp: past }), 'insufficient_scope'],
    [grant(share, ['view'], { nbf: past + 60 }), 'insufficient_scope'],
    [grant(share, ['view'], { exp: 'soon' }), 'insufficient_scope'],
    [grant(share, ['view'], { resource_id: 'another' }), 'insufficient_scope'],
    [{ active: true, permissions: 'all' }, 'insufficient_scope'],
    [{ active: true, scope: 'view' }, 'insufficient_scope'],
  ]
  for (const [result, error] of cases) {
    server.tokens.set('token', result)
    const { status, headers, isPassed } = await filter.send('/photos/alice/1', 'token')
    assert.deepEqual([status, isPassed], [401, false], JSON.stringify(result))
    assert.match(headers.get('www-authenticate') ?? '', new RegExp(`error="${error}"$`))
  }
})

test('a path that is not shared gets 404, and a request of no action 403, without a call', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  await filter.share('/photos/alice/.*')
  await filter.share('/nothing/here')
  const calls = server.calls.length
  assert.equal((await filter.send('/photos/bob/1', 'token')).status, 404)
  assert.equal((await filter.send('/photos/alice/1', 'token', 'DELETE')).status, 403)
  assert.equal((await filter.send('/nothing/here', 'token')).status, 403)
  assert.equal(server.calls.length, calls)
})

test('a condition that fails is a fault: the request is not passed on with fewer scopes', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  await filter.share('/broken/.*')
  await assert.rejects(filter.send('/broken/1', 'token'))
})

test('the share with the longest pattern counts, until it is deleted', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  const wide = await filter.share('/photos/.*')
  const narrow = await filter.share('/photos/alice/.*')
  server.tokens.set('wide', grant(wide, ['view']))
  assert.equal((await filter.send('/photos/alice/1', 'wide')).status, 401)
  await filter.shares({ verb: 'delete', id: narrow.id })
  assert.equal((await filter.send('/photos/alice/1', 'wide')).status, 200)
  assert.deepEqual(await filter.shares({ verb: 'read', id: wide.id }), { resources: [wide] })
  const missing = await filter.shares({ verb: 'delete', id: narrow.id })
  assert.deepEqual('refused' in missing && missing.refused.status, 404)
})

test('while the authorization server fails, requests get 403 with a Warning', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  await filter.share('/photos/.*')
  for (const fault of [
    { status: 500, content: {} },
    { status: 401, content: { error: 'invalid_token' } },
    { status: 201, content: [] },
    { status: 201, content: { ticket: 'a"b' } },
    { status: 201, content: { ticket: 7 } },
  ]) {
    server.fault = fault
    for (const token of [null, 'token']) {
      const { status, headers, isPassed } = await filter.send('/photos/1', token)
      assert.deepEqual([status, isPassed], [403, false], JSON.stringify(fault))
      assert.equal(headers.get('warning'), '199 - "UMA Authorization Server Unreachable"')
    }
  }
  assert.ok(!filter.built.log.lines.join('').includes(PAT))
})

test('two Authorization fields get 400', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(server)
  await filter.share('/photos/.*')
  const exchange = auditedExchange('GET', 'http://app.example/photos/1')
  exchange.request.headers.add('Authorization', 'Bearer a')
  exchange.request.headers.add('Authorization', 'Bearer b')
  assert.equal((await filter.built.object(exchange, async () => respond(200))).status, 400)
  assert.equal(exchange.audit?.decision?.result, 'DENIED')
})

test('UMA 1.0: the names of its parameters, and the credentials of a client for introspection', async () => {
  await using server = await umaServer()
  await using filter = await withFilter(
    server,
    {},
    {
      wellKnownEndpoint: null,
      authorizationServerUri: server.url,
      clientId: 'photos',
      clientSecretId: 'uma.secret',
      secretsProvider: { type: Secrets.name },
    },
  )
  const share = await filter.share('/photos/.*')
  const id = share.content['resource_set_id'] as string
  assert.deepEqual(
    [...server.resources.values()].map(({ scopes }) => scopes),
    [['view', 'edit']],
  )
  const { headers } = await filter.send('/photos/1')
  assert.match(headers.get('www-authenticate') ?? '', new RegExp(`as_uri="${server.url}/", ticket=`))
  assert.deepEqual(JSON.parse(server.calls.at(-1)?.body ?? ''), { resource_set_id: id, scopes: ['view'] })
  server.tokens.set('rpt', { active: true, permissions: [{ resource_set_id: id, scopes: ['view'] }] })
  assert.equal((await filter.send('/photos/1', 'rpt')).status, 200)
  const { authorization, body = '' } = server.calls.at(-1) ?? {}
  assert.deepEqual([authorization, new URLSearchParams(body).get('client_secret')], ['', 'client-password'])
})
