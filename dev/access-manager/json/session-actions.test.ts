import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentToken, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { manualClock } from '#test/build'
import { DevelopmentAccessManager } from '../development-access-manager.ts'
import type { AccessManagerSettings } from '../settings.ts'

const START = Date.parse('2026-11-15T00:00:00.500Z')

interface ActionRequest {
  readonly caller?: string
  readonly body?: object
  readonly version?: string
  readonly query?: string
  readonly path?: string
}

function act(
  manager: DevelopmentAccessManager,
  action: string,
  actionRequest: ActionRequest = {},
): Promise<ManagerResponse> {
  const { caller, body, version, query = '', path = 'sessions' } = actionRequest
  return sendRequest(manager, 'POST', `/json/realms/root/${path}?_action=${action}${query}`, {
    headers: {
      'Content-Type': 'application/json',
      ...(caller === undefined ? {} : { iPlanetDirectoryPro: caller }),
      ...(version === undefined ? {} : { 'Accept-API-Version': `protocol=1.0,resource=${version}` }),
    },
    body: JSON.stringify(body ?? {}),
  })
}

const started = (settings: AccessManagerSettings = {}): Promise<DevelopmentAccessManager> =>
  DevelopmentAccessManager.start({ clock: manualClock(START), ...settings })

test('PingAM: the agent sends the session token in the body; only one of two actions resets the idle time', async () => {
  await using manager = await started()
  const agent = await agentToken(manager)
  const tokenId = manager.login('demo')
  manager.advance(60_000)
  const actionRequest = { caller: agent, body: { tokenId }, version: '4.0' }
  const { body } = await act(manager, 'getSessionInfo', actionRequest)
  const uid = (body['properties'] as { AMCtxId: string }).AMCtxId
  assert.match(uid, /^[0-9a-f-]{36}-\d+$/)
  assert.deepEqual(body, {
    username: 'demo',
    universalId: 'id=demo,ou=user,dc=openam,dc=example',
    realm: '/',
    latestAccessTime: '2026-11-15T00:00:00Z',
    maxIdleExpirationTime: '2026-11-15T00:30:00Z',
    maxSessionExpirationTime: '2026-11-15T02:00:00Z',
    properties: { AMCtxId: uid },
  })
  const reset = await act(manager, 'getSessionInfoAndResetIdleTime', actionRequest)
  assert.equal(reset.body['latestAccessTime'], '2026-11-15T00:01:00Z')
  assert.deepEqual((await act(manager, 'validate', actionRequest)).body, {
    valid: true,
    sessionUid: uid,
    uid: 'demo',
    realm: '/',
  })
  assert.deepEqual((await act(manager, 'refresh', { ...actionRequest, version: '3.1' })).body, {
    uid: 'demo',
    realm: '/',
    idletime: 0,
    maxidletime: 30,
    maxsessiontime: 120,
    maxtime: 7140,
  })
})

test('PingAM: permitted callers and sessions', async () => {
  await using manager = await started()
  const [demo, admin, agent] = [manager.login('demo'), manager.login('amadmin'), await agentToken(manager)]
  const status = async (action: string, actionRequest: ActionRequest): Promise<number> =>
    (await act(manager, action, actionRequest)).status
  assert.equal(await status('getSessionInfo', {}), 401)
  assert.equal(await status('getSessionInfo', { body: { tokenId: demo } }), 401)
  assert.equal(await status('getSessionInfo', { caller: demo }), 200)
  assert.equal(await status('getSessionInfo', { caller: demo, body: { tokenId: admin } }), 403)
  assert.equal(await status('getSessionInfo', { caller: admin, body: { tokenId: demo } }), 200)
  assert.equal(await status('logout', { caller: agent, body: { tokenId: demo } }), 403)
  assert.equal(await status('dance', { caller: admin }), 501)
  assert.equal(await status('getSessionInfo', { caller: demo, version: '1.1' }), 404)
})

for (const [unknownSession, status] of [
  ['invalid', 200],
  ['unauthorized', 401],
  ['not-found', 404],
] as const) {
  test(`an unknown session is ${unknownSession}: ${status}`, async () => {
    await using manager = await started({ unknownSession })
    const answer = await act(manager, 'getSessionInfo', {
      caller: await agentToken(manager),
      body: { tokenId: 'none' },
    })
    assert.equal(answer.status, status)
    if (status === 200) assert.deepEqual(answer.body, { valid: false })
  })
}

test('logout ends the session; a second one responds that it has expired', async () => {
  await using manager = await started()
  const caller = manager.login('demo')
  assert.deepEqual((await act(manager, 'logout', { caller })).body, { result: 'Successfully logged out' })
  assert.deepEqual((await act(manager, 'logout', { caller })).body, { result: 'Token has expired' })
})

test('all sessions of a user, or those of given handles, end at once', async () => {
  await using manager = await started()
  const admin = manager.login('amadmin')
  const [one, two] = [manager.login('demo'), manager.login('demo')]
  const byUser = { caller: admin, body: { username: 'demo' }, version: '5.1' }
  assert.equal((await act(manager, 'logoutByUser', { ...byUser, caller: await agentToken(manager) })).status, 403)
  assert.deepEqual((await act(manager, 'logoutByUser', byUser)).body, { result: true })
  for (const caller of [one, two]) assert.equal((await act(manager, 'getSessionInfo', { caller })).status, 401)
  assert.equal((await act(manager, 'logoutByHandle', { caller: admin, body: {} })).status, 400)
})

test('properties: only listed ones are returned, and internal ones are not changed', async () => {
  await using manager = await started({ sessionProperties: ['AMCtxId', 'colour'] })
  const caller = manager.login('demo')
  const updated = await act(manager, 'updateSessionProperties', { caller, body: { colour: 'green' } })
  assert.equal(updated.body['colour'], 'green')
  const some = await act(manager, 'getSessionProperties', { caller, body: { properties: ['colour', 'LoginLocation'] } })
  assert.deepEqual(some.body, { colour: 'green' })
  assert.equal((await act(manager, 'updateSessionProperties', { caller, body: { AMCtxId: 'x' } })).status, 403)
  await using silent = await started({ sessionProperties: [] })
  const { body } = await act(silent, 'getSessionInfo', { caller: silent.login('demo') })
  assert.deepEqual(body['properties'], {})
})

test('OpenAM: version 1.1 of validate needs no authentication, and agents have no access to sessions of users', async () => {
  await using manager = await started({ family: 'openam' })
  const demo = manager.login('demo')
  const path = `sessions/${encodeURIComponent(demo)}`
  const valid = await act(manager, 'validate', { path, version: '1.1' })
  assert.deepEqual(valid.body, { valid: true, uid: 'demo', realm: '/' })
  assert.deepEqual((await act(manager, 'validate', { path: 'sessions/none', version: '1.1' })).body, { valid: false })
  const agent = await agentToken(manager)
  const query = `&tokenId=${encodeURIComponent(demo)}`
  assert.equal((await act(manager, 'getSessionInfo', { caller: agent, query, version: '2.0' })).status, 403)
  const { body } = await act(manager, 'getSessionInfo', { caller: demo, query, version: '2.0' })
  assert.equal(body['username'], 'demo')
  assert.match(String(body['sessionHandle']), /^shandle:/)
  assert.ok(!('properties' in body))
  assert.equal((await act(manager, 'getSessionInfo', { caller: demo, version: '4.0' })).status, 404)
  assert.equal((await act(manager, 'logoutByUser', { caller: demo, version: '2.0' })).status, 501)
})

test('OpenAM: with its own token every call resets the idle time; only administrators can refresh a session', async () => {
  await using manager = await started({ family: 'openam' })
  const [demo, admin] = [manager.login('demo'), manager.login('amadmin')]
  const query = `&tokenId=${encodeURIComponent(demo)}`
  const usedAt = async (caller: string) =>
    (await act(manager, 'getSessionInfo', { caller, query, version: '2.0' })).body['latestAccessTime']
  manager.advance(60_000)
  assert.equal(await usedAt(admin), '2026-11-15T00:00:00Z')
  assert.equal(await usedAt(demo), '2026-11-15T00:01:00Z')
  assert.equal((await act(manager, 'refresh', { caller: demo, version: '2.0' })).status, 403)
  assert.equal((await act(manager, 'refresh', { caller: admin, query, version: '2.0' })).status, 200)
})

test('OpenAM: an ended session is 401; other versions are 404, validate of version 2.0 is 501', async () => {
  await using manager = await started({ family: 'openam' })
  const caller = manager.login('demo')
  for (const version of ['2.1', '3.0', '4.0'])
    assert.equal((await act(manager, 'getSessionInfo', { caller, version })).status, 404)
  assert.equal((await act(manager, 'validate', { caller, version: '2.0' })).status, 501)
  assert.equal((await act(manager, 'logout', { caller, version: '2.0' })).status, 200)
  for (const action of ['getSessionInfo', 'logout'])
    assert.equal((await act(manager, action, { caller, version: '2.0' })).status, 401)
})

test('client-based sessions stay valid after logout', async () => {
  await using manager = await started({ family: 'openam', clientBasedSessions: true })
  const caller = manager.login('demo')
  assert.equal((await act(manager, 'logout', { caller, version: '2.0' })).status, 200)
  assert.equal((await act(manager, 'getSessionInfo', { caller, version: '2.0' })).status, 200)
})

test('bodies that are no JSON are rejected, and at OpenAM a cookie and a header of different users', async () => {
  await using manager = await started({ family: 'openam' })
  const [demo, admin] = [manager.login('demo'), manager.login('amadmin')]
  const path = '/json/realms/root/sessions?_action=getSessionInfo'
  const sent = async (headers: Record<string, string>) =>
    (await sendRequest(manager, 'POST', path, { headers: { iPlanetDirectoryPro: demo, ...headers }, body: '{}' }))
      .status
  const json = { 'Content-Type': 'application/json' }
  assert.equal(await sent({ 'Content-Type': 'text/plain' }), 400)
  assert.equal(await sent(json), 200)
  assert.equal(await sent({ ...json, Cookie: `iPlanetDirectoryPro=${demo}` }), 200)
  assert.equal(await sent({ ...json, Cookie: `iPlanetDirectoryPro=${admin}` }), 403)
})
