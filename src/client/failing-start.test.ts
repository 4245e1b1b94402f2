import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { ProxyOptions } from '#contracts'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { httpUpstream, type Upstream } from '#test/upstream'
import { once, within } from '#test/waiting'
import { outcomesInThread } from '#test/waiting-calls-thread'

/** A proxy at the upstream; `authorization` returns its credentials, or throws. */
function proxyAt(upstream: Upstream, authorization: () => string | null): ProxyOptions {
  const { hostname, port } = new URL(upstream.url)
  return { key: `start ${upstream.url}`, proxyFor: () => ({ hostname, port: Number(port), authorization }) }
}

test('a throw while a call starts fails that call alone, and frees its slot in the pool', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  let isBroken = true
  const authorization = () => {
    if (isBroken) throw new Error('no credentials')
    return null
  }
  await using client = clientWith({ connections: 1, proxy: proxyAt(upstream, authorization) })
  for (let i = 0; i < 3; i++) {
    await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { name: 'UpstreamError', status: 502 })
  }
  assert.equal(client.stats[0]!.running, 0)
  isBroken = false
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
})

test('a throw while a waiting call starts does not stop the calls behind it', async () => {
  const held: ServerResponse[] = []
  await using upstream = await httpUpstream((_request, response) => {
    held.push(response)
    onRequest()
  })
  let onRequest = () => {}
  const arrival = () => {
    const request = new Promise<void>((resolve) => {
      onRequest = resolve
    })
    return within('the request reached the upstream', request)
  }
  let starts = 0
  const authorization = () => {
    if (++starts === 2) throw new Error('no credentials')
    return null
  }
  await using client = clientWith({ connections: 1, proxy: proxyAt(upstream, authorization) })
  const first = arrival()
  const calls = Array.from({ length: 3 }, async () => textOf(await send(client, exchangeFor('GET', upstream.url))))
  const outcomes = Promise.allSettled(calls)
  await first
  const second = arrival()
  held.shift()!.end('first')
  await second
  held.shift()!.end('third')
  const [one, two, three] = await outcomes
  assert.deepEqual(one, { status: 'fulfilled', value: 'first' })
  assert.equal(two!.status, 'rejected')
  assert.deepEqual(three, { status: 'fulfilled', value: 'third' })
})

test('an HTTP/2 call that times out without a stream does not keep the client from closing', async () => {
  await using upstream = await clearHttp2Upstream((_request, response) => response.end('ok'))
  const client = clientWith({
    connections: 1,
    connectionTimeout: 150,
    http2: { overTls: true, inClear: 'prior-knowledge' },
  })
  await textOf(await send(client, exchangeFor('GET', upstream.url)))
  const [session] = upstream.sessions
  session!.settings({ maxConcurrentStreams: 0 })
  await once(session!, 'localSettings')
  const expired = send(client, exchangeFor('GET', upstream.url))
  const left = exchangeFor('GET', upstream.url)
  const abandoned = assert.rejects(send(client, left), { code: 'GW_CLIENT_GONE' })
  left.abort(new Error('gone'))
  await abandoned
  await assert.rejects(expired, { code: 'GW_UPSTREAM_POOL_FULL', status: 503 })
  assert.deepEqual(client.stats, [{ origin: upstream.url, connected: 1, running: 0, pending: 0, queued: 0 }])
  await client.release()
})

const CALLS = 20_000
/** Each opens a stream, and resets it. */
const UPLOADS = 10_000
const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const

for (const [version, open, http2] of [
  ['HTTP/1.1', httpUpstream, null],
  ['HTTP/2', clearHttp2Upstream, KNOWN],
] as const) {
  test(`${version}: ${CALLS} calls that wait for a connection all fail when it ends at this gateway`, async () => {
    await using upstream = await open((_request, response) => response.end())
    const outcomes = await outcomesInThread({ url: upstream.url, calls: CALLS, http2, failure: 'loop' })
    assert.deepEqual(outcomes, { GW_UPSTREAM_LOOP: CALLS })
    assert.equal(upstream.accepted, 1)
  })
}

test(`HTTP/2: of ${UPLOADS} calls that wait, each fails whose body fails as it starts`, async () => {
  await using upstream = await clearHttp2Upstream((_request, response) => response.end())
  const outcomes = await outcomesInThread({ url: upstream.url, calls: UPLOADS, http2: KNOWN, failure: 'body' })
  assert.deepEqual(outcomes, { GW_REQUEST_BODY: UPLOADS })
})
