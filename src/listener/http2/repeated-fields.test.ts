import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers, Response } from '#http'
import { H2Client } from '#test/h2-client'
import { listening } from '#test/listening'
import { once } from '#test/waiting'

/** Of one value each: applications, and proxies before them, send them twice. */
const NAMES = ['age', 'etag', 'content-type', 'retry-after', 'expires', 'last-modified', 'x-content-type-options']

test('response fields that an application sent twice reach the client twice', async () => {
  await using server = await listening(async ({ request }) => {
    const name = request.uri.path.slice(1)
    return new Response(200, {
      headers: new Headers([
        [name, 'a'],
        [name, 'b'],
      ]),
    })
  })
  await using client = new H2Client(server.port, {}, 'http')
  for (const name of NAMES) {
    const stream = client.open(`/${name}`)
    const [{ ':status': status }, , raw] = (await once(stream, 'response')) as [
      Record<string, unknown>,
      number,
      string[],
    ]
    const values = raw.filter((_, at) => at % 2 === 1 && raw[at - 1] === name)
    assert.deepEqual([status, name, ...values], [200, name, 'a', 'b'])
    stream.resume()
  }
})
