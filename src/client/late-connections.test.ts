// A server that never accepts a connection: its requests do not get the failure of connections that are all in use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, UpstreamError } from '#client'
import { PermitTable } from '#contracts'
import type { PermitMemory, PermitStore } from '#schema'
import { clientWith, send } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, silentUpstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'

const CONNECTION_TIMEOUT = 300
const VERSIONS = [
  ['HTTP/1.1', null],
  ['HTTP/2', { overTls: true, inClear: 'off' }],
] as const

/** A connection with TLS is established by its handshake, which this server does not begin. */
async function neverAccepting() {
  const upstream = await silentUpstream((socket) => void socket.resume())
  return { url: upstream.url.replace('http:', 'https:'), [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() }
}

async function failureOf(client: Client, url: string): Promise<unknown> {
  const [outcome] = await Promise.allSettled([send(client, exchangeFor('GET', url))])
  assert.ok(outcome.status === 'rejected' && outcome.reason instanceof UpstreamError)
  const { code, cause } = outcome.reason
  return [code, cause instanceof Error ? cause.message : cause]
}

const LATE = ['GW_UPSTREAM_CONNECT', 'connection: expected it to be established in time']

for (const [version, http2] of VERSIONS) {
  test(`${version}: requests that wait for the attempts of others fail for the same reason as those`, async () => {
    await using upstream = await neverAccepting()
    await using client = clientWith({ connections: 1, connectionTimeout: CONNECTION_TIMEOUT, http2 })
    const failures = await Promise.all(Array.from({ length: 4 }, () => failureOf(client, upstream.url)))
    assert.deepEqual(failures, [LATE, LATE, LATE, LATE])
  })

  test(`${version}: a wait that ends while a connection is being opened later is a failed connection`, async () => {
    await using upstream = await neverAccepting()
    const opened = Promise.withResolvers<void>()
    const memory: PermitMemory = {
      memory: new SharedArrayBuffer(PermitTable.bytes(1, 1)),
      units: 1,
      unit: 0,
      release: () => {},
    }
    const permits: PermitStore = { open: () => opened.promise.then(() => memory) }
    await using client = clientWith({ connections: 1, connectionTimeout: CONNECTION_TIMEOUT, http2, permits })
    const failure = failureOf(client, upstream.url)
    await waitUntil('the request waits', () => client.stats[0]?.queued === 1)
    setTimeout(opened.resolve, CONNECTION_TIMEOUT / 2)
    assert.deepEqual(await failure, LATE)
  })
}

test('requests of a unit fail for that reason also where the attempts are those of another unit', async () => {
  await using upstream = await neverAccepting()
  const memory = new SharedArrayBuffer(PermitTable.bytes(2, 1))
  const storeOf = (unit: number): PermitStore => ({ open: () => ({ memory, units: 2, unit, release: () => {} }) })
  const settings = { connections: 1, connectionTimeout: CONNECTION_TIMEOUT }
  await using first = clientWith({ ...settings, connectionTimeout: 2 * CONNECTION_TIMEOUT, permits: storeOf(0) })
  await using second = clientWith({ ...settings, permits: storeOf(1) })
  const ofFirst = failureOf(first, upstream.url)
  await waitUntil('the first unit opens a connection', () => first.stats[0]?.pending === 1)
  assert.deepEqual(await failureOf(second, upstream.url), [
    'GW_UPSTREAM_CONNECT',
    'connection: expected the server to accept one in time',
  ])
  assert.deepEqual(await ofFirst, LATE)
})

test('a wait for connections that are all in use gets 503', async () => {
  let requests = 0
  await using upstream = await httpUpstream(() => requests++)
  await using client = clientWith({ connections: 1, connectionTimeout: CONNECTION_TIMEOUT, soTimeout: 60_000 })
  const held = exchangeFor('GET', upstream.url)
  const holding = send(client, held)
  await waitUntil('the connection is in use', () => requests === 1)
  assert.deepEqual(await failureOf(client, upstream.url), ['GW_UPSTREAM_POOL_FULL', undefined])
  held.abort(new Error('gone'))
  await assert.rejects(holding, { code: 'GW_CLIENT_GONE' })
})
