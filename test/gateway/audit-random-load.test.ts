// A random load of all kinds of requests: each leaves one event that satisfies the published schema, and no secret is in the trail.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import type { JsonObject } from '#json'
import { RunningGateway } from '#test/gateway'
import { waitUntil } from '#test/waiting'

const SECRET = 'hush-7f3a'
const schema = JSON.parse(readFileSync(new URL('../../schemas/audit-access.json', import.meta.url), 'utf8'))

const route = (path: string, handler: JsonObject): JsonObject => ({
  condition: `\${find(request.uri.path, '^/${path}')}`,
  handler,
})
const say = (status: number) => ({
  type: 'StaticResponseHandler',
  config: { status, headers: { 'Set-Cookie': [`session=${SECRET}`], Location: [`/x?code=${SECRET}`] } },
})
const behind = (filter: JsonObject) => ({ type: 'Chain', config: { filters: [filter], handler: say(200) } })

const ROUTES = {
  ok: route('ok', say(200)),
  moved: route('moved', say(302)),
  denied: route('denied', behind({ type: 'ConditionEnforcementFilter', config: { condition: '${false}' } })),
  busy: route(
    'busy',
    behind({
      type: 'ThrottlingFilter',
      config: { requestGroupingPolicy: 'all', rate: { numberOfRequests: 1, duration: '1 hour' } },
    }),
  ),
  broken: route('broken', {
    type: 'ScriptableHandler',
    config: { type: 'application/javascript', source: `throw new Error('${SECRET}')` },
  }),
  away: route('away', { type: 'ReverseProxyHandler', baseURI: 'http://127.0.0.1:1', config: {} } as JsonObject),
}

const AUDIT = {
  name: 'AuditService',
  type: 'AuditService',
  config: {
    eventHandlers: [
      { class: 'JsonAuditEventHandler', config: { name: 'file', topics: ['access'], logDirectory: 'trail' } },
    ],
  },
}

/** Bytes of a request: most are well formed. */
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'),
  path: fc.constantFrom(
    '/ok',
    '/moved',
    '/denied',
    '/busy',
    '/broken',
    '/away',
    '/nothing',
    '/gateway/x',
    '/%zz',
    '/ok%2F..',
  ),
  query: fc.constantFrom('', `?token=${SECRET}`, '?a=1&b=%F0%9F%98%80'),
  header: fc.constantFrom(
    'X-Plain: 1',
    `Authorization: Bearer ${SECRET}`,
    `Cookie: sid=${SECRET}; b=2`,
    `X-Api-Key: ${SECRET}`,
    'User-Agent: \xff\xfe\x01',
    'User-Agent: "><script>\t\u0080',
    `X-Long: ${'x'.repeat(20_000)}`,
    'Host: second',
    'Content-Length: -1',
    'Transfer-Encoding: nonsense',
    'traceparent: 00-00000000000000000000000000000000-0000000000000000-00',
  ),
})

/** Sends one request on a connection of its own; resolves with the status when the connection has closed. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => resolve(received.slice(9, 12)))
    socket.on('close', () => resolve(received.slice(9, 12)))
    socket.setTimeout(20_000, () => reject(new Error(`no end of the response within 20 s to ${text.slice(0, 80)}`)))
  })
}

test('each request of a random load leaves one valid event without secrets', async () => {
  await using gateway = await RunningGateway.start({
    units: 2,
    files: {
      'config/config.json': { handler: '_router', heap: [AUDIT, { name: '_router', type: 'Router' }] } as JsonObject,
    },
    routes: ROUTES,
  })
  const path = join(gateway.instance.directory, 'trail', 'access.audit.json')
  const load = fc.sample(requests, { numRuns: 200, seed: 17 })
  const statuses: string[] = []
  for (let at = 0; at < load.length; at += 10) {
    const some = load.slice(at, at + 10).map(({ method, path: target, query, header }) => {
      const text = `${method} ${target}${query} HTTP/1.1\r\nHost: app.test\r\n${header}\r\nConnection: close\r\n\r\n`
      return send(gateway.port, text)
    })
    statuses.push(...(await Promise.all(some)))
  }
  const lines = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  await waitUntil(`${load.length} events in the trail`, () => lines().length >= load.length)
  const events = lines().map((line) => JSON.parse(line) as JsonObject)
  assert.equal(events.length, load.length)
  const validator = new Validator(schema, '2020-12')
  for (const event of events) assert.deepEqual(validator.validate(event).errors, [], JSON.stringify(event))
  assert.equal(new Set(events.map(({ _id: id }) => id)).size, load.length)
  const written = events.map((event) => String((event['response'] as JsonObject)['statusCode']))
  assert.deepEqual(written.toSorted(), statuses.toSorted())
  assert.ok(!readFileSync(path, 'utf8').includes(SECRET))
  const undecided = events.filter((event) => {
    const { statusCode } = event['response'] as JsonObject
    return (
      ['401', '403', '429', '503'].includes(String(statusCode)) && !('decision' in (event['gateway'] as JsonObject))
    )
  })
  assert.deepEqual(undecided, [])
})
