import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, respond } from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { within } from '#test/waiting'

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Reads a body, and counts bytes and writes. */
function countingSink(body: Body): Promise<{ bytes: number; writes: number }> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    let writes = 0
    body.pipe({
      write: (chunk) => {
        bytes += chunk.length
        writes++
        return true
      },
      end: () => resolve({ bytes, writes }),
      fail: reject,
    })
  })
}

test('chunks of one byte are coalesced, and do not count as extensions (B24)', async () => {
  const counted: { bytes: number; writes: number }[] = []
  await using server = await listening(async ({ request }) => {
    counted.push(await countingSink(request.body))
    return respond(200)
  })
  const chunks = 50_000
  const answer = await converse(server.port, `${HEAD}${'1\r\na\r\n'.repeat(chunks)}0\r\n\r\n`)

  assert.match(answer, /^HTTP\/1\.1 200 /)
  assert.equal(counted[0]!.bytes, chunks)
  assert.ok(counted[0]!.writes < 200, `${counted[0]!.writes} writes`)
})

test('the order of small and large chunks is preserved', async () => {
  const seen: string[] = []
  await using server = await listening(async ({ request }) => {
    seen.push(Buffer.from(await request.body.read(1_000_000)).toString('latin1'))
    return respond(200)
  })
  const pieces = Array.from({ length: 400 }, (_, i) =>
    String.fromCharCode(97 + (i % 26)).repeat(i % 7 === 0 ? 1500 : 1 + (i % 900)),
  )
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
  await converse(server.port, `${HEAD}${chunks}0\r\n\r\n`)
  assert.equal(seen[0], pieces.join(''))
})

for (const [what, chunk, count, status] of [
  ['20 KB of them', '1;name=value-of-an-extension\r\na\r\n', 1_000, 413],
  ['8 KB of them', '1;name=value-of-an-extension\r\na\r\n', 300, 200],
  ['none in 25,000 chunks of one byte', '1\r\na\r\n', 25_000, 200],
  ['none in chunks whose size begins with zeros', '00000001\r\na\r\n', 5_000, 200],
] as const) {
  test(`only chunk extensions count, over the whole message: ${what}, ${status} (B24)`, async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    await using server = await listening(async ({ request }) => {
      begin()
      await request.body.read(1_000_000)
      return respond(200)
    })
    await using client = new RawClient(server.port)
    client.send(HEAD)
    await within('the handler was called', begun)
    client.send(chunk.repeat(count))
    if (status === 200) client.send('0\r\n\r\n')
    await client.closed
    assert.match(client.text, new RegExp(`^HTTP/1\\.1 ${status} `))
  })
}

test('a message in one packet with far more extensions than content is refused too (B24)', async () => {
  await using server = await listening(async ({ request }) => {
    await request.body.read(1_000_000)
    return respond(200)
  })
  const chunk = `1;${'x'.repeat(500)}\r\na\r\n`
  assert.match(await converse(server.port, `${HEAD}${chunk.repeat(1_000)}0\r\n\r\n`), /^HTTP\/1\.1 413 /)
})
