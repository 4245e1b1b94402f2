// A user name with characters beyond ASCII in a header: the bytes that the application receives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { clearHttp2Upstream } from '#test/http2-upstream'
import { httpUpstream } from '#test/upstream'

const routeTo = (baseURI: string, encoding: string, handler: object) => ({
  name: 'app',
  baseURI,
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          type: 'HeaderFilter',
          config: { messageType: 'REQUEST', encoding, replace: { 'X-User': ["${request.queryParams['u'][0]}"] } },
        },
      ],
      handler: { type: 'ReverseProxyHandler', config: handler },
    },
  },
})

test('UTF-8 reaches applications of HTTP/1.1 and HTTP/2 byte for byte, Latin-1 is one byte for each character', async () => {
  // Node decodes header values as Latin-1.
  await using one = await httpUpstream((request, response) =>
    response.end(Buffer.from(String(request.headers['x-user']), 'latin1').toString('hex')),
  )
  await using two = await clearHttp2Upstream((request, response) =>
    response.end(Buffer.from(String(request.headers['x-user']), 'latin1').toString('hex')),
  )
  const http2 = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true }
  await using gateway = await RunningGateway.start({ routes: {} })
  for (const [url, handler] of [
    [one.url, {}],
    [two.url, http2],
  ] as const) {
    await gateway.deploy('app', routeTo(url, 'UTF-8', handler))
    const { text } = await gateway.ask(`/?u=${encodeURIComponent('Łukasz 王')}`)
    assert.equal(Buffer.from(text, 'hex').toString('utf8'), 'Łukasz 王', url)
    await gateway.deploy('app', routeTo(url, 'ISO-8859-1', handler))
    assert.equal((await gateway.ask(`/?u=${encodeURIComponent('José')}`)).text, '4a6f73e9', url)
    const { status, text: none } = await gateway.ask(`/?u=${encodeURIComponent('Łukasz')}`)
    assert.deepEqual([status, Buffer.from(none, 'hex').toString()], [200, 'undefined'], url)
  }
})
