import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { test } from 'node:test'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { frameUpstream } from '#test/frame-upstream'
import { FRAME, frame, literal } from '#test/h2-frames'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { httpUpstream } from '#test/upstream'
import { within } from '#test/waiting'

const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const
/** Of one value each: browsers, proxies and their plug-ins send them twice. */
const NAMES = ['user-agent', 'referer', 'dnt', 'authorization', 'content-type', 'if-none-match', 'from', 'max-forwards']

const echo = ({ rawHeaders }: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
  response.setHeader('X-Seen', JSON.stringify(rawHeaders.map((text) => text.toLowerCase())))
  ;(response as ServerResponse).end()
}

for (const [version, open, http2] of [
  ['HTTP/1.1', httpUpstream, null],
  ['HTTP/2', clearHttp2Upstream, KNOWN],
] as const) {
  test(`${version}: request fields that a client sent twice are forwarded twice`, async () => {
    await using upstream = await open(echo)
    await using client = clientWith({ http2 })
    for (const name of NAMES) {
      const response = await send(client, exchangeFor('GET', upstream.url, { headers: { [name]: ['a', 'b'] } }))
      const seen: string[] = JSON.parse(response.headers.get('x-seen')!)
      const values = seen.filter((_, at) => at % 2 === 1 && seen[at - 1] === name)
      assert.deepEqual([name, ...values], [name, 'a', 'b'])
      await textOf(response)
    }
  })
}

test('HTTP/2: a response with two Content-Length fields is refused', async () => {
  const head = Buffer.concat([literal({ ':status': '200', 'content-length': '1' }), literal({ 'content-length': '2' })])
  await using upstream = await frameUpstream((socket, stream) => socket.write(frame(FRAME.headers, 4, stream, head)))
  await using client = clientWith({ http2: KNOWN })
  const answer = send(client, exchangeFor('GET', upstream.url))
  await assert.rejects(within('the call failed', answer), { code: 'GW_UPSTREAM_PROTOCOL' })
})
