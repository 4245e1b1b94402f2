// Requests that stay in flight: the first event of a long one, and requests that wait for room in a queue.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { accessEvents, auditedRoot, part, TO_FILE } from '#test/audited-gateway'
import { RunningGateway, textRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { freePort } from '#test/nginx'
import { Stopwatch } from '#test/stopwatch'
import { TcpPeer } from '#test/tcp-peer'
import { httpUpstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'

const proxy = (baseURI: string) => ({ app: { baseURI, handler: 'ReverseProxyHandler' } })

/** An application that begins event streams, which the test continues. */
async function streaming() {
  const streams: ServerResponse[] = []
  const upstream = await httpUpstream((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n')
    streams.push(response)
  })
  return { streams, url: upstream.url, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() }
}

test('a stream longer than longRunningAfter has a first event without response, and one at its end', async () => {
  await using application = await streaming()
  await using gateway = await RunningGateway.start({
    files: { 'config/config.json': auditedRoot(TO_FILE, { longRunningAfter: '1 second' }) },
    routes: proxy(application.url),
  })
  const response = await fetch(`${gateway.url}/stream`)
  const [first] = await accessEvents(gateway.instance, 1)
  assert.equal(part(first, 'gateway')['longRunning'], true)
  assert.equal(part(first, 'gateway')['routeId'], 'app')
  assert.equal(first?.['response'], undefined)
  application.streams[0]?.end('data: 2\n\n')
  assert.equal(await response.text(), 'data: 1\n\ndata: 2\n\n')
  const [, last] = await accessEvents(gateway.instance, 2)
  assert.equal(last?.['transactionId'], first?.['transactionId'])
  assert.equal(last?.['timestamp'], first?.['timestamp'])
  assert.notEqual(last?.['_id'], first?.['_id'])
  assert.equal(part(last, 'gateway')['longRunning'], undefined)
  assert.equal(part(last, 'response')['status'], 'SUCCESSFUL')
  assert.ok(Number(part(last, 'response')['elapsedTime']) >= 1_000, JSON.stringify(last))
})

test('the first event is written soon after longRunningAfter, which may be short', async () => {
  await using application = await streaming()
  await using gateway = await RunningGateway.start({
    files: { 'config/config.json': auditedRoot(TO_FILE, { longRunningAfter: '100 ms' }) },
    routes: proxy(application.url),
  })
  const begun = Date.now()
  const response = await fetch(`${gateway.url}/stream`)
  const [first] = await accessEvents(gateway.instance, 1)
  assert.equal(part(first, 'gateway')['longRunning'], true)
  assert.ok(Date.now() - begun >= 100)
  application.streams[0]?.end()
  await response.text()
  await accessEvents(gateway.instance, 2)
})

test('a stream that kill -9 of the gateway ends is in the trail by its first event', async () => {
  await using application = await streaming()
  await using gateway = await GatewayProcess.start({
    files: { 'config/config.json': auditedRoot(TO_FILE, { longRunningAfter: '1 second' }) },
    routes: proxy(application.url),
  })
  const response = await fetch(`http://127.0.0.1:${gateway.port}/stream`)
  const text = response.text()
  await accessEvents(gateway.instance, 1)
  gateway.kill('SIGKILL')
  await assert.rejects(within('the end of the stream', text))
  await gateway.exit
  const [event] = await accessEvents(gateway.instance, 1)
  assert.equal(part(event, 'gateway')['longRunning'], true)
  assert.match(String(part(event, 'http', 'request')['path']), /\/stream$/)
})

/** A gateway whose queue is full with seven events: the receiver is not there. */
async function withFullQueue(maxBlockTime: string) {
  const port = await freePort()
  const config = { name: 'log', topics: ['access'], protocol: 'TCP', host: '127.0.0.1', port, facility: 'LOCAL0' }
  const handler = {
    class: 'SyslogAuditEventHandler',
    config: { ...config, queue: { maxEvents: 8 }, onFull: 'block', maxBlockTime },
  }
  const gateway = await RunningGateway.start({
    files: { 'config/config.json': auditedRoot(handler) },
    routes: { hello: textRoute('hello') },
  })
  for (let n = 1; n <= 7; n++) assert.equal((await gateway.ask(`/${n}`)).status, 200)
  await queued(gateway, 7)
  return { gateway, port, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

const queued = (gateway: RunningGateway, count: number) =>
  waitUntil(`${count} events in the queue`, async () => (await gateway.metric('gw_audit_queued', LABELS)) === count)
const LABELS = { handler: 'log' }

test('onFull block: a request waits for maxBlockTime at most; then it is answered, and its event dropped and counted', async () => {
  await using full = await withFullQueue('500 ms')
  const { gateway } = full
  for (const path of ['/8', '/9', '/10']) {
    const sent = performance.now()
    assert.equal((await gateway.ask(path)).status, 200)
    const elapsed = performance.now() - sent
    assert.ok(elapsed >= 490, `${path} was answered after ${elapsed} ms`)
  }
  const lost = { ...LABELS, reason: 'full' }
  await waitUntil('two lost events', async () => (await gateway.metric('gw_audit_lost_total', lost)) === 2)
  await queued(gateway, 8)
  await gateway.log.until(/GW_AUDIT_QUEUE_FULL/)
  await using syslog = await TcpPeer.start(undefined, { port: full.port })
  await waitUntil('the events in the queue at the receiver', () => syslog.text.includes('/8"'))
  await queued(gateway, 0)
  using time = new Stopwatch()
  assert.equal((await gateway.ask('/11')).status, 200)
  assert.ok(time.elapsed < 490, 'a request waits although the queue has room')
  await waitUntil('the event of the last request', () => syslog.text.includes('/11"'))
  assert.doesNotMatch(syslog.text, /\/(?:9|10)"/)
})

test('onFull block: a request that waits is answered as soon as the destination accepts events again', async () => {
  await using full = await withFullQueue('1 minute')
  const { gateway, port } = full
  const waiting = gateway.ask('/8')
  assert.equal(await Promise.race([waiting, gateway.askAdmin('/health/live').then(() => 'waits')]), 'waits')
  await using syslog = await TcpPeer.start(undefined, { port })
  assert.equal((await within('the response of the waiting request', waiting)).status, 200)
  await waitUntil('all events', () => syslog.text.includes('/8"'))
  const paths = [...syslog.text.matchAll(/"path":"[^"]*\/(\d+)"/g)].map(([, n]) => Number(n))
  assert.deepEqual([...new Set(paths)], [1, 2, 3, 4, 5, 6, 7, 8])
})
