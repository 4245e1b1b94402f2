import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { respond } from '#http'
import { converse, listening } from '#test/listening'
import { once } from '#test/waiting'

const CONNECTIONS = 64

const skip = process.platform === 'linux' ? false : 'ports can be shared between sockets on Linux'

test('several connections of a shared port are accepted in one turn of the event loop (F28)', { skip }, async () => {
  await using server = await listening(async () => respond(200, {}, 'ok'), { reusePort: true })
  // The kernel completes them before any is accepted.
  const clients = Array.from({ length: CONNECTIONS }, () => connect({ port: server.port, host: '127.0.0.1' }))
  try {
    let turns = 0
    for (; server.listener.stats.connections < CONNECTIONS; turns++) await new Promise(setImmediate)
    // With one socket it takes as many turns as connections.
    assert.ok(turns < CONNECTIONS / 2, `it took ${turns} turns`)
  } finally {
    for (const client of clients) client.destroy()
  }
})

test('every socket of a shared port serves, and none accepts after a drain', { skip }, async () => {
  await using server = await listening(async () => respond(200, {}, 'ok'), { reusePort: true })
  for (let count = 0; count < CONNECTIONS; count++) {
    const text = await converse(server.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.match(text, /^HTTP\/1\.1 200 /)
  }
  await server.listener.drain(1_000)
  for (let count = 0; count < CONNECTIONS; count++) {
    const client = connect({ port: server.port, host: '127.0.0.1' })
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException]
    assert.equal(error.code, 'ECONNREFUSED')
  }
})

test('a drain of sockets does not run turn after turn while the thread is busy', { skip }, async (t) => {
  await using server = await listening(async () => respond(200, {}, 'ok'), { reusePort: true })
  const nextTurn = setImmediate
  let isBusy = true
  const work = () => {
    const end = performance.now() + 0.2
    while (performance.now() < end);
    if (isBusy) nextTurn(work)
  }
  nextTurn(work)
  const turns = t.mock.method(globalThis, 'setImmediate')
  await server.listener.drain(1_000)
  isBusy = false
  const count = turns.mock.callCount()
  assert.ok(count >= 8 && count < 200, `it took ${count} turns`)
})

test('connections in the queues of the sockets are served when the port is drained', { skip }, async () => {
  await using server = await listening(async () => respond(200, {}, 'ok'), { reusePort: true })
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  // The kernel completes them at once; the drain begins before any is accepted.
  const clients = Array.from({ length: CONNECTIONS }, () => converse(server.port, request))
  const drained = server.listener.drain(10_000)
  for (const text of await Promise.all(clients)) assert.match(text, /^HTTP\/1\.1 200 [\s\S]*Connection: close/)
  assert.deepEqual(await drained, { aborted: 0 })
})
