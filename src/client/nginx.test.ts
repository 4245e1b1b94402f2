import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { clientWith, Reader, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { nginx, nginxMissing } from '#test/nginx'

const options = { skip: nginxMissing }

test('nginx: files, ranges, HEAD, 304 and errors', options, async () => {
  const file = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251))
  await using upstream = await nginx('location = /twice { add_header X-A 1; add_header X-A 2; return 200 "ok"; }', {
    'file.bin': file,
  })
  await using client = clientWith({ connections: 2 })
  const get = (path: string, headers = {}, method = 'GET') =>
    send(client, exchangeFor(method, upstream.url + path, { headers }))

  const whole = await get('/file.bin')
  const bytes = await whole.body.read(file.length)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), createHash('sha256').update(file).digest('hex'))

  const range = await get('/file.bin', { Range: 'bytes=10-19' })
  assert.equal(range.status, 206)
  assert.equal(await textOf(range), file.subarray(10, 20).toString('latin1'))

  const head = await get('/file.bin', {}, 'HEAD')
  assert.equal(head.headers.get('content-length'), String(file.length))
  assert.equal(head.body.isEmpty, true)

  const etag = whole.headers.get('etag')
  assert.ok(etag)
  assert.equal((await get('/file.bin', { 'If-None-Match': etag })).status, 304)

  assert.deepEqual((await get('/twice')).headers.all('x-a'), ['1', '2'])
  assert.equal((await get('/nothing')).status, 404)
})

test('nginx: chunked responses, and an upstream that closes each connection', options, async () => {
  await using upstream = await nginx('gzip on; gzip_types *; gzip_min_length 1; keepalive_timeout 0;', {
    'text.txt': 'hello '.repeat(10_000),
  })
  await using client = clientWith({ connections: 1 })
  for (let i = 0; i < 3; i++) {
    const response = await send(
      client,
      exchangeFor('GET', `${upstream.url}/text.txt`, { headers: { 'Accept-Encoding': 'gzip' } }),
    )
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    assert.equal(response.headers.has('transfer-encoding'), false)
    const reader = new Reader(response.body)
    await reader.done
    assert.ok(reader.received > 0)
  }
})
