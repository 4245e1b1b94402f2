// Browsers send the cookies of the management connector to traffic connectors of the same host too: no upstream receives them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { RunningGateway } from '#test/gateway'
import { H2Client } from '#test/h2-client'
import { managing } from '#test/management'
import { httpUpstream } from '#test/upstream'
import { once } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'

const PASSWORD = 'correct horse'
const proxy = (baseURI: string) => ({
  baseURI,
  handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
})

/** A gateway before an upstream that responds with the cookies it receives, and the session cookie of a log-in to the Studio. */
async function started(baseURI: string) {
  const gateway = await RunningGateway.start({
    files: { 'secrets/gateway.admin.password': PASSWORD },
    routes: { app: proxy(baseURI) },
  })
  const body = { username: 'admin', password: PASSWORD }
  const { headers } = await managing(gateway.adminUrl)('POST', '/api/studio/session?_action=login', { body })
  const studio = String(headers['set-cookie']?.[0]).split(';')[0] as string
  assert.match(studio, /^gateway-studio-\d+=[\w-]{43}$/)
  return { gateway, studio, management: `${studio}; gateway-admin-session=abc; gateway-admin-other=def` }
}

test('session cookies of the Studio and of adminProtection do not reach the upstream of a route', async () => {
  const received: string[][] = []
  await using upstream = await httpUpstream(({ rawHeaders }, response) => {
    const at = (index: number) => rawHeaders[index] ?? ''
    received.push(
      rawHeaders.flatMap((name, index) => (index % 2 === 0 && /^cookie/i.test(name) ? [at(index + 1)] : [])),
    )
    response.end()
  })
  const { gateway, studio, management } = await started(upstream.url)
  await using _ = gateway
  for (const [sent, expected] of [
    [management, []],
    [`a=1; ${management}; b="gateway-admin-session=x"`, ['a=1; b="gateway-admin-session=x"']],
    [`gateway-admin-session=abc;a=1`, ['a=1']],
  ] as const) {
    received.length = 0
    assert.equal((await gateway.ask('/app', { headers: { Cookie: sent } })).status, 200)
    assert.deepEqual(received, [expected], sent)
  }
  received.length = 0
  await using client = new H2Client(gateway.port, {}, 'http')
  // HTTP/2 splits cookies into fields (RFC 9113 section 8.2.3).
  const cookie = [studio, 'a=1', 'gateway-admin-session=abc', 'b=2']
  assert.equal((await client.ask('/app', { headers: { cookie } })).status, 200)
  assert.deepEqual(received, [['a=1; b=2']])
})

test('nor the upstream of a WebSocket', async () => {
  const received: (string | undefined)[] = []
  await using upstream = await webSocketUpstream({
    onConnection: (socket, { headers }) => {
      received.push(headers.cookie)
      socket.close()
    },
  })
  const { gateway, management } = await started(upstream.url)
  await using _ = gateway
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/app`, { headers: { Cookie: `${management}; a=1` } })
  await once(socket, 'close')
  assert.deepEqual(received, ['a=1'])
})
