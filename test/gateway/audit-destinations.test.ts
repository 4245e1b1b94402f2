// Access events of a whole gateway at the destinations that leave the machine.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { KafkaBroker } from '#test/kafka-broker'
import { freePort } from '#test/nginx'
import { TcpPeer } from '#test/tcp-peer'
import { once, waitUntil } from '#test/waiting'

function audited(path: string, ...handlers: readonly (readonly [string, JsonObject])[]): JsonObject {
  const eventHandlers = handlers.map(([name, config]) => ({
    class: `org.vendor.audit.handlers.${name}AuditEventHandler`,
    config: { name, topics: ['access'], ...config },
  }))
  const service = { name: 'AuditService', type: 'AuditService', config: { eventHandlers } }
  return {
    condition: `\${find(request.uri.path, '^${path}/')}`,
    heap: [service],
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'hello' } },
  }
}

const syslogAt = (port: number): [string, JsonObject] => [
  'Syslog',
  { protocol: 'TCP', host: '127.0.0.1', port, facility: 'LOCAL0' },
]

test('one request is one event at syslog, OTLP and Kafka, with the same id', { timeout: 60_000 }, async () => {
  await using syslog = await TcpPeer.start()
  await using kafka = await KafkaBroker.start()
  const exported: string[] = []
  const otlp = createServer((request, response) => {
    request.on('data', (chunk) => exported.push(String(chunk)))
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  }).listen(0, '127.0.0.1')
  await once(otlp, 'listening')
  await using resources = new AsyncDisposableStack()
  resources.defer(() => {
    otlp.closeAllConnections()
    otlp.close()
  })
  await using gateway = await RunningGateway.reuse({
    routes: {
      audited: audited(
        '/audited',
        syslogAt(syslog.port),
        ['Otlp', { endpoint: `http://127.0.0.1:${(otlp.address() as AddressInfo).port}` }],
        ['Kafka', { brokers: [`127.0.0.1:${kafka.port}`], topicPrefix: 'gateway.', format: 'ecs' }],
      ),
    },
  })
  assert.deepEqual(gateway.problems('audited.json'), [])
  assert.equal((await gateway.ask('/audited/page?token=secret')).text, 'hello')
  await waitUntil(
    'the expected events',
    () => syslog.text !== '' && kafka.stored.length > 0 && exported.join('').endsWith(']}]}]}'),
  )

  const event = JSON.parse(syslog.text.slice(syslog.text.indexOf('] {') + 2))
  assert.match(syslog.text, /^\d+ <134>1 .* GATEWAY-HTTP-ACCESS \[event@32473 topic="access" id="/)
  assert.match(event.http.request.path, /\/audited\/page$/)
  const [record, ...others] = kafka.stored
  assert.equal(others.length, 0)
  assert.deepEqual([record?.topic, record?.key], ['gateway.access', event.transactionId])
  assert.equal(JSON.parse(record?.value ?? '').event.id, event._id)
  assert.ok(exported.join('').includes(`"${event._id}"`))
  assert.doesNotMatch(`${syslog.text}${record?.value}${exported.join('')}`, /secret/)
})

test('a rotated secret of a transport is used without a new version of the route', { timeout: 60_000 }, async () => {
  let token = 'first'
  const accepted: string[] = []
  const otlp = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const isKnown = request.headers.authorization === token
      if (isKnown) accepted.push(text)
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(otlp, 'listening')
  await using resources = new AsyncDisposableStack()
  resources.defer(() => {
    otlp.closeAllConnections()
    otlp.close()
  })
  const handler = {
    endpoint: `http://127.0.0.1:${(otlp.address() as AddressInfo).port}`,
    headerSecretIds: { Authorization: 'receiver.token' },
    secretsProvider: { type: 'FileSystemSecretStore', config: { directory: 'tokens', format: 'PLAIN' } },
  }
  await using gateway = await RunningGateway.start({
    units: 2,
    files: { 'tokens/receiver.token': token },
    routes: { audited: audited('/audited', ['Otlp', handler]) },
  })
  assert.deepEqual(gateway.problems('audited.json'), [])
  await gateway.ask('/audited/one')
  await waitUntil('the first event', () => accepted.join('').includes('/audited/one'))
  token = 'second'
  gateway.instance.write('tokens/receiver.token', token)
  await gateway.ask('/audited/two')
  await gateway.gateway.reload()
  await waitUntil('the second event', () => accepted.join('').includes('/audited/two'))
  assert.doesNotMatch(gateway.log.lines.join('\n'), /first|second/)
})

test('F15: requests are answered while a receiver is away, and their events arrive when it is back', {
  timeout: 60_000,
}, async () => {
  const port = await freePort()
  await using gateway = await RunningGateway.reuse({ routes: { audited: audited('/audited', syslogAt(port)) } })
  for (let n = 0; n < 20; n++) assert.equal((await gateway.ask(`/audited/${n}`)).status, 200)
  await using syslog = await TcpPeer.start(undefined, { port })
  await waitUntil('the expected events', () => syslog.text.includes('/audited/19"'))
  const paths = [...syslog.text.matchAll(/"path":"[^"]*\/audited\/(\d+)"/g)].map(([, n]) => Number(n))
  assert.deepEqual([...new Set(paths)], [...Array(20).keys()])
})

test('a stop waits a limited time for a receiver that is away, and logs the events that are lost', async () => {
  const routes = { audited: audited('/audited', syslogAt(await freePort())) }
  await using gateway = await GatewayProcess.start({ routes })
  assert.equal((await fetch(`http://127.0.0.1:${gateway.port}/audited/1`)).status, 200)
  await gateway.log.until(/GW_AUDIT_DELIVERY_FAILED/)
  gateway.kill('SIGTERM')
  const begun = performance.now()
  assert.equal((await gateway.exit).code, 0)
  assert.ok(performance.now() - begun < 20_000, 'the receiver had more than its time')
  assert.match(gateway.log.lines.join(), /GW_AUDIT_EVENTS_LOST/)
})
