// Sessions, event streams and traced requests of a gateway whose connectors use TLS and HTTP/2.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Authority, opensslMissing } from '#test/certificates'
import { pathRoute, RunningGateway } from '#test/gateway'
import { H2Client } from '#test/h2-client'
import { secureHeap } from '#test/secure-connector'
import { within } from '#test/waiting'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

const json = { 'content-type': 'application/json' }

test('with TLS the cookie is Secure, and streams, traffic and traces work over it', {
  skip: opensslMissing,
}, async () => {
  const issued = (authority as Authority).issue({ name: 'localhost', altNames: 'DNS:localhost' })
  await using gateway = await RunningGateway.start({
    admin: { adminConnector: { port: 0, tls: 'https' }, heap: secureHeap(issued) },
    connector: { tls: 'https' },
    files: { 'secrets/gateway.admin.password': 'p' },
    routes: { echo: pathRoute('/echo', "${request.uri.scheme} ${request.headers['Cookie'][0]}") },
  })
  await using admin = new H2Client(gateway.gateway.adminPort)
  const login = await admin.ask('/api/studio/session?_action=login', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ username: 'admin', password: 'p' }),
  })
  assert.equal(login.status, 200)
  const [set = ''] = login.headers['set-cookie'] ?? []
  assert.match(set, /; SameSite=Strict; Secure; HttpOnly$/)
  const cookie = set.split(';')[0] as string
  await using traffic = new H2Client(gateway.port)
  const echoed = await traffic.ask('/echo', { headers: { cookie: ['a=1', cookie, 'b=2'] } })
  assert.equal(echoed.text, 'https a=1; b=2')

  const stream = admin.session.request({ ':path': '/api/monitor/metrics', cookie })
  let received = ''
  const first = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      received += chunk.toString()
      if (/^data: /m.test(received)) resolve()
    })
  })
  await within('the first event over HTTP/2', first)
  const closed = new Promise((resolve) => stream.on('close', resolve))

  const traced = await admin.ask('/api/monitor/trace?_action=send', {
    method: 'POST',
    headers: { ...json, cookie },
    body: JSON.stringify({ uri: 'https://localhost/echo' }),
  })
  assert.equal(traced.status, 200, traced.text)
  const { route, response, steps } = JSON.parse(traced.text)
  assert.deepEqual([route, response.status, response.entity, steps.length > 0], ['echo', 200, 'https ', true])

  const logout = { method: 'POST', headers: { cookie } }
  assert.equal((await admin.ask('/api/studio/session?_action=logout', logout)).status, 204)
  await within('the stream ends with the session', closed)
})
