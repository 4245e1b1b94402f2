import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientWith, send } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { silentUpstream } from '#test/upstream'
import { within } from '#test/waiting'

test('the TLS server name is that of the target, not of the forwarded Host header', async () => {
  const hello = Promise.withResolvers<string>()
  await using upstream = await silentUpstream((socket) => {
    socket.once('data', (chunk) => {
      hello.resolve(chunk.toString('latin1'))
      socket.destroy()
    })
  })
  await using client = clientWith()
  const target = upstream.url.replace('http://127.0.0.1', 'https://localhost')
  const exchange = exchangeFor('GET', target, { headers: { Host: 'public.example.com' } })
  await assert.rejects(send(client, exchange), { code: 'GW_UPSTREAM_CONNECT' })
  const text = await within('the client hello arrived', hello.promise)
  assert.ok(text.includes('localhost'))
  assert.ok(!text.includes('public.example.com'))
  assert.ok(text.includes('http/1.1') && !text.includes('\x02h2'))
})
