import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream, rawUpstream } from '#test/upstream'

const ok = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`

test('requests with HEAD use one connection after the other', async (t) => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  await using client = clientWith()
  let passed = 0
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + passed)
  for (let count = 0; count < 5; count++) {
    const { status } = await send(client, exchangeFor('HEAD', upstream.url))
    assert.equal(status, 200)
    passed += 200
  }
  assert.equal(await textOf(await send(client, exchangeFor('GET', upstream.url))), 'ok')
  assert.equal(upstream.accepted, 1)
})

test('B26: a body that a server sends after its response to HEAD answers no other request', async () => {
  await using upstream = await rawUpstream((socket, head) => {
    socket.setNoDelay()
    if (head.startsWith('GET')) socket.write(ok('right'))
    else
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 45\r\n\r\n', () => setImmediate(() => socket.write(ok('wrong'))))
  })
  await using client = clientWith({ connections: 2 })
  for (let count = 0; count < 20; count++) {
    await send(client, exchangeFor('HEAD', upstream.url))
    const answers = Array.from({ length: 3 }, async () => textOf(await send(client, exchangeFor('GET', upstream.url))))
    assert.deepEqual(await Promise.all(answers), ['right', 'right', 'right'])
  }
})

test('requests that wait do not wait for a connection to rest after HEAD', async () => {
  await using upstream = await httpUpstream((_request, response) => response.end('ok'))
  await using client = clientWith({ connections: 1, idleTime: 60_000 })
  const methods = ['HEAD', 'GET', 'HEAD', 'HEAD', 'GET', 'GET']
  const answers = methods.map(async (method) => (await send(client, exchangeFor(method, upstream.url))).status)
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([200]))
  assert.ok(upstream.accepted <= 4, `${upstream.accepted} connections`)
})
