import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { rawUpstream } from '#test/upstream'

/** What an upstream sends for one request: a response that names it, changed and cut, and what follows in the same write. */
const answers = fc.record({
  framing: fc.constantFrom('length', 'chunked', 'close'),
  cut: fc.option(fc.nat(160), { nil: null }),
  change: fc.option(fc.record({ at: fc.nat(160), octet: fc.nat(255) }), { nil: null }),
  excess: fc.constantFrom('', 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison', '\r\n', 'poison', '0\r\n\r\n'),
  closes: fc.boolean(),
})

type Answer = typeof answers extends fc.Arbitrary<infer T> ? T : never

/** Differs from those of other requests in more bytes than are changed. */
const nameOf = (id: number): string => String.fromCharCode(0x61 + id).repeat(3)

function bytesFor(id: string, { framing, cut, change, excess }: Answer): Buffer {
  const body = `id=${id}`
  const head = {
    length: `Content-Length: ${body.length}\r\n\r\n${body}`,
    chunked: `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    close: `Connection: close\r\n\r\n${body}`,
  }[framing]
  const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nX-Id: ${id}\r\n${head}`, 'latin1')
  if (change !== null) bytes[change.at % bytes.length] = change.octet
  const sent = cut === null ? bytes : bytes.subarray(0, cut % bytes.length)
  return Buffer.concat([sent, Buffer.from(excess, 'latin1')])
}

test('whatever an upstream sends for one request reaches that request only', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 2, maxLength: 12 }), async (script) => {
      await using upstream = await rawUpstream((socket, head) => {
        const id = Number(/\/(\d+)/.exec(head)![1])
        const answer = script[id]!
        socket.write(bytesFor(nameOf(id), answer))
        if (answer.closes || answer.framing === 'close' || answer.cut !== null) socket.end()
      })
      await using client = clientWith({ connections: 1, soTimeout: 300 })
      for (const id of script.keys()) {
        const seen = await send(client, exchangeFor('GET', `${upstream.url}/${id}`))
          .then(async (response) => `${response.headers.get('x-id')} ${await textOf(response)}`)
          .catch(() => '')
        for (const other of script.keys()) {
          if (other !== id) assert.ok(!seen.includes(nameOf(other)), `${nameOf(id)}: ${seen}`)
        }
      }
      assert.equal(client.stats[0]?.running ?? 0, 0)
    }),
    { numRuns: 40 },
  )
})
