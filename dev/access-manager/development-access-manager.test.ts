import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { AGENT, agentToken, basic, form, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { manualClock } from '#test/build'
import { testIdentity } from '#test/test-identity'
import { once } from '#test/waiting'
import { DevelopmentAccessManager } from './development-access-manager.ts'

const json = async (response: Promise<ManagerResponse>): Promise<Record<string, unknown>> => (await response).body

test('the name of the session cookie is public, the version needs a session', async () => {
  await using manager = await DevelopmentAccessManager.start({ cookieName: 'a1b2c3', version: '8.0.2' })
  const open = await sendRequest(manager, 'GET', '/json/realms/root/serverinfo/*')
  assert.equal(open.status, 200)
  assert.equal(open.body['cookieName'], 'a1b2c3')
  assert.equal(open.body['realm'], '/')
  assert.equal((await sendRequest(manager, 'GET', '/json/serverinfo/version')).status, 401)
  const token = await agentToken(manager)
  const version = await sendRequest(manager, 'GET', '/json/serverinfo/version', { headers: { a1b2c3: token } })
  assert.equal(version.body['version'], '8.0.2')
})

test('only a loopback address is bound by default', async () => {
  await assert.rejects(
    DevelopmentAccessManager.start({ host: '0.0.0.0' }),
    /expected a loopback address, got "0.0.0.0"/,
  )
})

test('unknown paths, unknown realms and other methods are rejected in the format of the endpoint', async () => {
  await using manager = await DevelopmentAccessManager.start({ realms: ['/alpha/beta'] })
  assert.equal((await sendRequest(manager, 'GET', '/json/realms/root/realms/nowhere/serverinfo/*')).status, 404)
  assert.equal((await sendRequest(manager, 'GET', '/json/serverinfo/constructor')).status, 404)
  assert.equal((await sendRequest(manager, 'GET', '/json/authenticate')).status, 405)
  assert.equal((await sendRequest(manager, 'GET', '/oauth2/nothing')).body['error'], 'not_found')
  const beta = await sendRequest(manager, 'GET', '/json/realms/root/realms/alpha/realms/beta/serverinfo/*')
  assert.equal(beta.body['realm'], '/alpha/beta')
  assert.equal((await sendRequest(manager, 'GET', '/json/alpha/serverinfo/*')).body['realm'], '/alpha')
  assert.equal((await sendRequest(manager, 'GET', '/json/serverinfo/*?realm=/alpha')).body['realm'], '/alpha')
})

test('a body beyond the limit is rejected', async () => {
  await using manager = await DevelopmentAccessManager.start({ limits: { bodyBytes: 1000 } })
  const answer = await sendRequest(
    manager,
    'POST',
    '/oauth2/introspect',
    form({ token: 'x'.repeat(2000) }, basic(...AGENT)),
  )
  assert.equal(answer.status, 413)
})

test('faults: status, body, number of times, closed connection, delay', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const path = '/json/serverinfo/*'
  manager.fail('serverinfo', { status: 503, times: 1 })
  assert.equal((await sendRequest(manager, 'GET', path)).status, 503)
  assert.equal((await sendRequest(manager, 'GET', path)).status, 200)
  manager.fail('serverinfo', { status: 200, body: '<html>', headers: { 'Content-Type': 'text/html' } })
  assert.equal((await sendRequest(manager, 'GET', path)).text, '<html>')
  manager.fail('*', { cut: true })
  manager.heal('serverinfo')
  await assert.rejects(sendRequest(manager, 'GET', path))
  manager.heal()
  const held = manager.hold('serverinfo')
  const answer = sendRequest(manager, 'GET', path)
  await held.arrived
  held.release()
  assert.equal((await answer).status, 200)
  assert.throws(() => manager.fail('serverinfo', { status: 99 }), /expected a status from 200 to 599, got 99/)
})

test('received requests are listed, and can be awaited', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const second = manager.received('introspect', 2)
  await sendRequest(manager, 'POST', '/oauth2/introspect', form({ token: 'a' }))
  await sendRequest(manager, 'POST', '/oauth2/introspect', form({ token: 'b' }))
  await second
  assert.deepEqual(
    manager.requests('introspect').map(({ body }) => body),
    ['token=a', 'token=b'],
  )
  manager.forgetRequests()
  assert.equal(manager.requests().length, 0)
})

test('sessions expire when the clock is advanced, and those of agents on request', async () => {
  const clock = manualClock()
  await using manager = await DevelopmentAccessManager.start({ clock, maxIdle: 1000, maxSession: 5000 })
  const token = await agentToken(manager)
  const isAlive = async (): Promise<boolean> =>
    (await sendRequest(manager, 'GET', '/json/serverinfo/version', { headers: { iPlanetDirectoryPro: token } }))
      .status === 200
  manager.advance(900)
  assert.equal(await isAlive(), true)
  manager.advance(1001)
  assert.equal(await isAlive(), false)
  await agentToken(manager)
  assert.equal(manager.expireAgentSessions(), 1)
})

test('an opaque token is issued, introspected by the agent, and invalid once revoked', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const client = basic('client-application', 'password')
  const got = await sendRequest(
    manager,
    'POST',
    '/oauth2/realms/root/access_token',
    form({ grant_type: 'client_credentials', scope: 'mail' }, client),
  )
  assert.equal(got.status, 200)
  const token = got.body['access_token'] as string
  const introspect = (): Promise<Record<string, unknown>> =>
    json(sendRequest(manager, 'POST', '/oauth2/realms/root/introspect', form({ token }, basic(...AGENT))))
  const info = await introspect()
  assert.equal(info['active'], true)
  assert.equal(info['scope'], 'mail')
  const revoked = await sendRequest(manager, 'POST', '/oauth2/token/revoke', form({ token }, client))
  assert.equal(revoked.status, 200)
  assert.deepEqual(await introspect(), { active: false })
})

test('with a certificate it serves HTTPS, and its cookies are Secure', async () => {
  const { key, certificate } = testIdentity('localhost')
  await using manager = await DevelopmentAccessManager.start({
    tls: { key: key.export({ format: 'pem', type: 'pkcs8' }).toString(), cert: certificate.toString() },
  })
  assert.match(manager.url, /^https:\/\/127\.0\.0\.1:\d+\/am$/)
  const asked = request(`${manager.url}/json/serverinfo/*`, {
    ca: certificate.toString(),
    checkServerIdentity: () => undefined,
  }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const info = JSON.parse(await text(response)) as { secureCookie: boolean }
  assert.equal(info.secureCookie, true)
})
