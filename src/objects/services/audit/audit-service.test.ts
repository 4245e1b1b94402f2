import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OAuth2Context, OAuth2InfoContext, type AuditService as Service, SsoTokenContext } from '#contracts'
import { respond, transientSession } from '#http'
import type { JsonObject } from '#json'
import { build, manualClock } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { RecordedAudit, RecordingAuditEventHandler } from '#test/recorded-audit'
import { AuditService } from './audit-service.ts'

const HANDLER = {
  class: 'org.vendor.audit.handlers.RecordingAuditEventHandler',
  config: { name: 'main', topics: ['access'] },
}

async function open(config: JsonObject) {
  const recorded = new RecordedAudit()
  const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6))
  const built = await build<Service>(
    AuditService,
    { eventHandlers: [HANDLER], ...config },
    {
      types: [RecordingAuditEventHandler, secretsType({ 'audit.hash': 'key' })],
      openAudit: recorded.openAudit,
      clock,
    },
  )
  return { built, recorded, clock, service: built.object, [Symbol.asyncDispose]: () => built[Symbol.asyncDispose]() }
}

const request = (headers: Record<string, string | string[]> = {}) =>
  exchangeFor('GET', 'https://app.test/a/b?token=secret', { headers: { Host: 'app.test', ...headers } })

test('an access event has the safe fields of the request and of its response', async () => {
  await using opened = await open({})
  const { service, recorded, clock } = opened
  const exchange = request({ 'User-Agent': 'curl', Authorization: 'Bearer secret', Cookie: 'a=secret' })
  service.access!.begin(exchange)
  exchange.audit!.routeId = 'r1'
  exchange.audit!.routeName = 'route one'
  clock.advance(25)
  exchange.audit!.end({ response: respond(200, { 'Set-Cookie': 'b=secret' }), end: 'sent' })
  const [event] = recorded.events('access')
  const { _id, gateway, transactionId, server, client, ...rest } = event as JsonObject & { gateway: JsonObject }
  assert.match(String(_id), /^[0-9a-f-]{36}-1$/)
  assert.equal(typeof transactionId, 'string')
  assert.equal(typeof gateway['exchangeId'], 'string')
  assert.deepEqual(Object.keys(gateway), ['exchangeId', 'routeId', 'routeName'])
  assert.deepEqual(rest, {
    timestamp: '2026-01-02T03:04:05.006Z',
    eventName: 'GATEWAY-HTTP-ACCESS',
    http: {
      request: {
        secure: exchange.client.secure,
        method: 'GET',
        path: 'https://app.test/a/b',
        headers: { host: ['app.test'], 'user-agent': ['curl'] },
      },
    },
    response: { status: 'SUCCESSFUL', statusCode: '200', elapsedTime: 25, elapsedTimeUnits: 'MILLISECONDS' },
  })
  assert.ok(!JSON.stringify(event).includes('secret'))
})

test('policies include, exclude, hash and truncate fields; exclusion wins', async () => {
  const field = {
    includeIf: ['/access/http/request/queryParameters', '/access/http/request/headers/X-Tenant'],
    excludeIf: ['/access/client', '/access/ig/exchangeId', '/access/http/request/headers/host'],
    hash: { secretId: 'audit.hash', fields: ['/access/http/request/cookies/a'] },
    truncate: { '/access/http/request/headers/user-agent': 4 },
  }
  await using opened = await open({ config: { filterPolicies: { field } }, secretsProvider: { type: 'TestSecrets' } })
  const { service, recorded } = opened
  const exchange = request({ 'User-Agent': 'curl/8', 'x-tenant': 'blue', Cookie: 'a=1; b=2', 'X-Other': 'no' })
  service.access!.begin(exchange)
  exchange.audit!.end({ response: respond(403), end: 'sent' })
  const [event] = recorded.events('access') as [
    { http: { request: JsonObject }; gateway: JsonObject; client?: unknown },
  ]
  const { headers, queryParameters, cookies } = event.http.request
  assert.deepEqual(headers, { 'user-agent': ['curl'], 'x-tenant': ['blue'] })
  assert.deepEqual(queryParameters, { token: ['secret'] })
  assert.match(String((cookies as JsonObject)['a']), /^hmac-sha256:[0-9a-f]{64}$/)
  assert.equal((cookies as JsonObject)['b'], undefined)
  assert.equal(event.client, undefined)
  assert.deepEqual(event.gateway, {})
})

test('the user is that of the session, the token, the expression, or the script, the last of which wins', async () => {
  await using plain = await open({})
  const users: unknown[] = []
  const run = (opened: typeof plain, prepare: (exchange: ReturnType<typeof request>) => void): void => {
    const exchange = request()
    opened.service.access!.begin(exchange)
    prepare(exchange)
    exchange.audit!.end({ response: respond(200), end: 'sent' })
    users.push(opened.recorded.events('access').at(-1)!['userId'])
  }
  const info = { username: 'ada' }
  const sso = { value: 'token', info, loginEndpoint: '', universalId: null }
  run(plain, (exchange) => void exchange.with(SsoTokenContext, sso))
  const accessToken = { token: 't', info: { sub: 'bob' }, scopes: new Set<string>(), expiresAt: null }
  run(plain, (exchange) => void exchange.with(OAuth2Context, { accessToken }))
  run(plain, () => {})
  const claims = { id_token_claims: { sub: 'eve' }, id_token: null, access_token: null, scopes: [], expires_in: null }
  const login = { ...claims, user_info: null, client_registration: 'c', client_endpoint: '/login' }
  run(plain, (exchange) => void exchange.with(OAuth2InfoContext, login))
  run(plain, (exchange) => {
    const session = transientSession()
    session.set('username', 'dan')
    exchange.withSession(session)
  })
  await using expression = await open({ userIdExpression: '${contexts.ssoToken.info.username}-x' })
  run(expression, (exchange) => void exchange.with(SsoTokenContext, sso))
  run(expression, (exchange) => {
    exchange.with(SsoTokenContext, sso)
    exchange.audit!.userId = 'script'
  })
  assert.deepEqual(users, ['ada', 'bob', undefined, 'eve', 'dan', 'ada-x', 'script'])
})

test('the user of an event has at most 1,024 characters, whatever a script or a claim says', async () => {
  await using opened = await open({})
  const exchange = request()
  opened.service.access!.begin(exchange)
  exchange.audit!.userId = 'u'.repeat(1_000_000)
  exchange.audit!.end({ response: null, end: 'aborted' })
  assert.equal(opened.recorded.events('access')[0]!['userId'], 'u'.repeat(1_024))
})

test('a request in flight since longRunningAfter leaves a first event without response, once', async () => {
  await using opened = await open({ longRunningAfter: '10 seconds' })
  const { service, recorded, clock } = opened
  const audit = service.access as unknown as { reportLongRunning(): void }
  const exchange = request()
  service.access!.begin(exchange)
  clock.advance(9_999)
  audit.reportLongRunning()
  assert.equal(recorded.events('access').length, 0)
  clock.advance(1)
  audit.reportLongRunning()
  audit.reportLongRunning()
  exchange.audit!.end({ response: respond(200), end: 'sent' })
  const [first, second, ...none] = recorded.events('access') as {
    _id: string
    gateway: JsonObject
    response?: JsonObject
    transactionId: string
  }[]
  assert.equal(none.length, 0)
  assert.equal(first!.gateway['longRunning'], true)
  assert.equal(first!.response, undefined)
  assert.equal(second!.gateway['longRunning'], undefined)
  assert.equal(second!.transactionId, first!.transactionId)
  assert.notEqual(second!._id, first!._id)
})

test('compatibility writes the names of OpenIG', async () => {
  await using opened = await open({ compatibility: true })
  const { service, recorded } = opened
  const exchange = request()
  service.access!.begin(exchange)
  exchange.audit!.end({ response: null, end: 'aborted' })
  const [event] = recorded.events('access') as [JsonObject]
  assert.equal(event['eventName'], 'OPENIG-HTTP-ACCESS')
  assert.deepEqual(Object.keys(event['ig'] as JsonObject), ['exchangeId'])
  assert.deepEqual(event['response'], {
    status: 'FAILED',
    elapsedTime: 0,
    elapsedTimeUnits: 'MILLISECONDS',
    detail: { reason: 'the client closed the connection' },
  })
})

test('with compatibility, policies apply to the group ig by either of its names', async () => {
  const field = { includeIf: ['/access/http/request/headers/x-tenant'], excludeIf: ['/access/ig/exchangeId'] }
  const hash = { secretId: 'audit.hash', fields: ['/access/gateway/ext/account'] }
  const provider = { type: 'TestSecrets' }
  await using opened = await open({
    compatibility: true,
    config: { filterPolicies: { field: { ...field, hash } } },
    secretsProvider: provider,
  })
  const { service, recorded } = opened
  const exchange = request({ 'X-Tenant': 'blue' })
  service.access!.begin(exchange)
  exchange.audit!.routeId = 'r1'
  exchange.audit!.extendWith('account', 'ada')
  exchange.decided({ result: 'DENIED', by: 'limit', reason: 'the rate is exceeded' })
  exchange.audit!.end({ response: respond(429), end: 'sent' })
  const [event] = recorded.events('access') as [JsonObject]
  const { ext, ...ig } = event['ig'] as JsonObject & { ext: { account: string } }
  assert.deepEqual(ig, { routeId: 'r1', decision: { result: 'DENIED', by: 'limit', reason: 'the rate is exceeded' } })
  assert.match(ext.account, /^hmac-sha256:/)
})

test('an access event that can not be built is counted, and does not fail its request', async () => {
  await using opened = await open({})
  const { service, recorded, built } = opened
  const exchange = request()
  Object.defineProperty(exchange.client, 'remoteAddress', { get: () => assert.fail('no address') })
  service.access!.begin(exchange)
  exchange.audit!.end({ response: respond(200), end: 'sent' })
  assert.deepEqual(recorded.events('access'), [])
  assert.equal(built.metrics.values.get('gw_audit_events_invalid_total'), 1)
})

test('events of a custom topic are checked by its schema, and only fields that it names are written', async () => {
  const properties = { _id: {}, timestamp: {}, transactionId: {}, eventName: {}, amount: { type: 'integer' }, note: {} }
  const schema = {
    schema: { type: 'object', properties },
    filterPolicies: { field: { includeIf: ['/amount'] } },
    required: ['amount'],
  }
  using schemas = new Folder({ 'payment.json': JSON.stringify(schema) })
  const handler = { ...HANDLER, config: { name: 'main', topics: ['payment'] } }
  await using opened = await open({ topicSchemasDirectory: schemas.path, eventHandlers: [handler] })
  const { service, recorded, built } = opened
  service.send('payment', { eventName: 'PAID', amount: 3, note: 'private' })
  service.send('payment', { eventName: 'PAID', amount: 'three' })
  service.send('payment', { eventName: 'PAID' })
  service.publish('access', { eventName: 'not handled' })
  const [event, ...none] = recorded.events('payment')
  assert.equal(none.length, 0)
  assert.deepEqual(Object.keys(event!), ['_id', 'timestamp', 'transactionId', 'eventName', 'amount'])
  assert.equal(built.metrics.values.get('gw_audit_events_invalid_total'), 2)
  assert.equal(service.access, null)
})

test('an event for a topic that filters and scripts can not write is counted, logged once, and not written', async () => {
  using schemas = new Folder({ 'payment.json': '{"schema":{}}', 'refund.json': '{"schema":{}}' })
  const off = { ...HANDLER, config: { name: 'off', topics: ['refund'], enabled: false } }
  const on = { ...HANDLER, config: { name: 'main', topics: ['access', 'payment'] } }
  await using opened = await open({ topicSchemasDirectory: schemas.path, eventHandlers: [on, off] })
  const { service, recorded, built } = opened
  service.send('paymnt', { eventName: 'PAID' })
  service.send('paymnt', { eventName: 'PAID' })
  service.send('access', {})
  assert.equal(built.metrics.values.get('gw_audit_events_invalid_total'), 3)
  assert.deepEqual(
    built.log.lines.map((line) => JSON.parse(line)).map(({ code, problem }) => `${code}: ${problem}`),
    [
      'GW_AUDIT_TOPIC_REFUSED: no event handler of the audit service has the topic "paymnt"; did you mean "payment"?; add it to "topics" of a handler',
      'GW_AUDIT_TOPIC_REFUSED: only the gateway itself writes the topic "access"; send the event to a custom topic, which has a schema file',
    ],
  )
  service.send('refund', { eventName: 'PAID' })
  service.publish('config', { eventName: 'without a handler' })
  service.publish('notifications', { eventName: 'without a handler' })
  assert.equal(built.log.lines.length, 2)
  assert.equal(recorded.published.length, 0)
})

test('a mistake beside the event handlers is the only one that is reported, and mistakes in them are reported too', async () => {
  const problemsOf = async (config: JsonObject) => {
    try {
      await using _ = await open(config)
      return []
    } catch (error) {
      return (error as { problems: readonly { pointer: string; message: string }[] }).problems.map(
        ({ pointer, message }) => `${pointer}: ${message}`,
      )
    }
  }
  const unknown = '/heap/0/config/compatability: unknown field; did you mean "compatibility"?'
  assert.deepEqual(await problemsOf({ compatability: true }), [unknown])
  const broken = { class: HANDLER.class, config: { name: 'second', topics: 'access', colour: 'red' } }
  const [first, ...below] = await problemsOf({ compatability: true, eventHandlers: [HANDLER, broken] })
  assert.equal(first, unknown)
  assert.match(String(below), /\/eventHandlers\/1\/config\/colour: unknown field/)
  assert.doesNotMatch(String(below), /"type", the name|eventHandlers\/0/)
})

const REFUSED: readonly (readonly [string, JsonObject, string])[] = [
  [
    'no handlers',
    { eventHandlers: undefined as never },
    '/heap/0/config/eventHandlers: expected an array of event handler; this field is required',
  ],
  [
    'a field beside class and config',
    { eventHandlers: [{ ...HANDLER, enabled: false }] },
    '/heap/0/config/eventHandlers/0/enabled: unknown field; write it in config',
  ],
  [
    'a handler without class',
    { eventHandlers: [{ config: {} }] },
    '/heap/0/config/eventHandlers/0: expected an event handler { "class": ..., "config": ... }',
  ],
  [
    'two handlers of one name',
    { eventHandlers: [HANDLER, HANDLER] },
    '/heap/0/config/eventHandlers/1/config/name: another event handler has the name "main"',
  ],
  [
    'an unknown handler for queries',
    { config: { handlerForQueries: 'mian' } },
    '/heap/0/config/config/handlerForQueries: no event handler has this name; did you mean "main"?',
  ],
  [
    'a pointer without topic',
    { config: { filterPolicies: { field: { includeIf: ['host'] } } } },
    '/heap/0/config/config/filterPolicies/field/includeIf/0: expected a JSON pointer that begins with a topic, such as "/access/http/request/headers/host"',
  ],
]

for (const [name, config, message] of REFUSED) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(open(config), { code: 'GW_CONFIG_INVALID', message })
  })
}

test('a disabled handler for queries is a warning', async () => {
  const off = { ...HANDLER, config: { name: 'off', topics: ['access'], enabled: false } }
  await using opened = await open({ eventHandlers: [HANDLER, off], config: { handlerForQueries: 'off' } })
  assert.deepEqual(opened.built.warnings, [
    '/heap/0/config/config/handlerForQueries: the event handler "off" is disabled: no topic can be queried',
  ])
})

test('refuses an unknown class with a pointer to it', async () => {
  await assert.rejects(
    open({ eventHandlers: [{ class: 'a.b.RecordngAuditEventHandler', config: {} }] }),
    (error: Error) => {
      assert.match(
        error.message,
        /^\/heap\/0\/config\/eventHandlers\/0\/class: unknown type "RecordngAuditEventHandler"/,
      )
      return true
    },
  )
})

test('refuses an unknown topic, and names the schema that would make it known', async () => {
  const handler = { ...HANDLER, config: { name: 'main', topics: ['acess'] } }
  await assert.rejects(open({ eventHandlers: [handler] }), (error: Error) => {
    assert.match(
      error.message,
      /^\/heap\/0\/config\/eventHandlers\/0\/config\/topics\/0: unknown topic "acess"; did you mean "access"\?; a custom topic needs the schema audit-schemas\/acess\.json in the instance$/,
    )
    return true
  })
})

for (const [name, text, reason] of [
  ['does not parse', '{', /payment\.json: /],
  ['has no schema', '{}', /payment\.json: expected an object \{ "schema"/],
  [
    'is no JSON schema',
    '{"schema":{"type":"object","$ref":"#/nowhere"}}',
    /payment\.json: \/schema\/\$ref: expected a schema of this file/,
  ],
] as const) {
  test(`refuses a topic schema that ${name}`, async () => {
    using schemas = new Folder({ 'payment.json': text })
    const handler = { ...HANDLER, config: { name: 'main', topics: ['payment'] } }
    await assert.rejects(open({ topicSchemasDirectory: schemas.path, eventHandlers: [handler] }), (error: Error) => {
      assert.match(error.message, /^\/heap\/0\/config\/topicSchemasDirectory: /)
      assert.match(error.message, reason)
      return true
    })
  })
}
