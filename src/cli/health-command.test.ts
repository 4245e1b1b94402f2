import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { once } from '#test/waiting'

test('health reports a response of the management connector: UP with 0, failed checks with 1', async () => {
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url ?? '')
    const ok = request.url !== '/health/ready?verbose'
    const checks = [
      { name: 'started', ok: true },
      { name: 'unit-0', ok, ...(!ok && { detail: 'unresponsive' }) },
    ]
    response.writeHead(ok ? 200 : 503).end(JSON.stringify({ status: ok ? 'UP' : 'DOWN', checks }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    assert.deepEqual(await gateway(['health', '--gateway', url]), {
      code: 1,
      stdout: 'DOWN\nunit-0: unresponsive\n',
      stderr: '',
    })
    const live = await gateway(['health', 'live'], { env: { GATEWAY_ADMIN_URL: url } })
    assert.deepEqual(live, { code: 0, stdout: 'UP\n', stderr: '' })
    const json = await gateway(['health', 'startup', '--gateway', `${url}/`, '--json'])
    assert.equal((JSON.parse(json.stdout) as { status: string }).status, 'UP')
    assert.deepEqual(requested, ['/health/ready?verbose', '/health/live?verbose', '/health/startup?verbose'])
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('health exits with 1 where no gateway responds, and with 64 for another check', async () => {
  const gone = await gateway(['health', '--gateway', 'http://127.0.0.1:1'])
  assert.equal(gone.code, 1)
  // A port that browsers, and `fetch` with them, never connect to (Fetch Standard, "bad port").
  assert.match(gone.stderr, /^gateway: health: http:\/\/127\.0\.0\.1:1: connect ECONNREFUSED .*; start the gateway/)
  assert.equal((await gateway(['health', 'alive'])).code, 64)
  assert.equal((await gateway(['health', '--gateway', 'localhost:8085'])).code, 64)
})
