import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENT, agentToken, basic, form, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { DevelopmentAccessManager } from '../development-access-manager.ts'

interface Controlled extends AsyncDisposable {
  readonly manager: DevelopmentAccessManager
  control(line: string, body?: object): Promise<ManagerResponse>
}

async function controlled(): Promise<Controlled> {
  const manager = await DevelopmentAccessManager.start({ controlPort: 0 })
  const { control } = manager
  assert.ok(control)
  return {
    manager,
    control: (line, body) => {
      const [method = '', path = ''] = line.split(' ')
      const headers = { Authorization: `Bearer ${control.token}` }
      return sendRequest(control, method, path, { headers, ...(body && { body: JSON.stringify(body) }) })
    },
    [Symbol.asyncDispose]: () => manager.close(),
  }
}

test('the control server is off by default, and refuses requests without its token', async () => {
  await using one = await controlled()
  assert.ok(one.manager.control)
  assert.equal((await sendRequest(one.manager.control, 'GET', '/requests')).status, 401)
  await using other = await DevelopmentAccessManager.start()
  assert.equal(other.control, null)
})

test('faults are set and removed, requests are listed and cleared', async () => {
  await using one = await controlled()
  await one.control('PUT /faults/serverinfo', { status: 502 })
  assert.equal((await sendRequest(one.manager, 'GET', '/json/serverinfo/*')).status, 502)
  await one.control('DELETE /faults/serverinfo')
  assert.equal((await sendRequest(one.manager, 'GET', '/json/serverinfo/*')).status, 200)
  const { body } = await one.control('GET /requests/serverinfo')
  assert.equal((body['requests'] as unknown[]).length, 2)
  await one.control('DELETE /requests')
  assert.deepEqual((await one.control('GET /requests')).body, { requests: [] })
})

test('a hold delays requests until it is released', async () => {
  await using one = await controlled()
  await one.control('PUT /holds/serverinfo')
  const waiting = sendRequest(one.manager, 'GET', '/json/serverinfo/*')
  await one.manager.received('serverinfo')
  await one.control('DELETE /faults')
  assert.equal((await waiting).status, 200)
})

test('tokens are issued and revoked, the clock is advanced, sessions are started and ended', async () => {
  await using one = await controlled()
  const active = async (token: unknown): Promise<unknown> =>
    (await sendRequest(one.manager, 'POST', '/oauth2/introspect', form({ token: String(token) }, basic(...AGENT))))
      .body['active']
  const { access_token: first } = (await one.control('POST /tokens', { scopes: ['mail'], lifetime: 60_000 })).body
  assert.equal(await active(first), true)
  await one.control('POST /advance', { milliseconds: 60_000 })
  assert.equal(await active(first), false)
  const { access_token: second } = (await one.control('POST /tokens', {})).body
  assert.deepEqual((await one.control('POST /tokens/revoke', { token: second })).body, { revoked: true })
  assert.equal(await active(second), false)
  const { tokenId } = (await one.control('POST /sessions', { username: 'demo' })).body
  assert.deepEqual((await one.control('POST /sessions/end', { tokenId })).body, { ended: true })
  await agentToken(one.manager)
  assert.deepEqual((await one.control('POST /agents/expire')).body, { ended: 1 })
})

test('notifications, sockets, keys and policies', async () => {
  await using one = await controlled()
  for (const [line, body] of [
    ['POST /publish', { topic: '/agent/policy', body: {} }],
    ['POST /sockets/drop', {}],
    ['PUT /upgrades', { status: 503 }],
    ['PUT /upgrades', { status: null }],
    ['POST /keys/rotate', {}],
    ['PUT /policies', { name: 'p', resources: ['*'], actionValues: { GET: true } }],
  ] as const)
    assert.deepEqual((await one.control(line, body)).body, { done: true })
  assert.deepEqual((await one.control('DELETE /policies/p')).body, { removed: true })
  assert.deepEqual((await one.control('GET /sockets')).body, { sockets: 0 })
})

test('invalid requests are rejected with the reason', async () => {
  await using one = await controlled()
  const refused = async (line: string, body: object): Promise<[number, unknown]> => {
    const answer = await one.control(line, body)
    return [answer.status, answer.body['message']]
  }
  assert.deepEqual(await refused('POST /advance', {}), [400, 'milliseconds: expected a number, got undefined'])
  assert.deepEqual(await refused('PUT /faults/x', { status: 7 }), [
    400,
    'fault of x: expected a status from 200 to 599, got 7',
  ])
  const [status, message] = await refused('POST /dance', {})
  assert.equal(status, 404)
  assert.match(String(message), /POST \/advance/)
})

test('a control port in use fails the start, and no server is left listening', async () => {
  await using one = await controlled()
  const taken = Number(new URL(String(one.manager.control?.url)).port)
  await assert.rejects(DevelopmentAccessManager.start({ controlPort: taken }), { code: 'EADDRINUSE' })
})
