import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { agentToken, basic, form, login, sendRequest } from '#test/access-manager-requests'
import { once, waitUntil } from '#test/waiting'
import { DevelopmentAccessManager } from '../development-access-manager.ts'
import { REVOCATION_TOPIC } from './announcements.ts'
import { SUBPROTOCOL } from './hub.ts'

/** A subscriber that records notifications. */
class Listener implements Disposable {
  readonly socket: WebSocket
  readonly #heard: Record<string, unknown>[] = []

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.#heard.push(JSON.parse(data.toString()) as Record<string, unknown>)
    })
  }

  static async open(manager: DevelopmentAccessManager, headers: Record<string, string>): Promise<Listener> {
    const listener = new Listener(new WebSocket(address(manager), [SUBPROTOCOL], { headers }))
    await once(listener.socket, 'open')
    return listener
  }

  say(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  async next(): Promise<Record<string, unknown>> {
    await waitUntil('the next message arrived', () => this.#heard.length > 0)
    return this.#heard.shift() as Record<string, unknown>
  }

  [Symbol.dispose](): void {
    this.socket.terminate()
  }
}

const address = (manager: DevelopmentAccessManager): string => `${manager.url.replace('http', 'ws')}/notifications`
const header = (token: string): Record<string, string> => ({ iPlanetDirectoryPro: token })

async function refusal(manager: DevelopmentAccessManager, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(address(manager), [SUBPROTOCOL], { headers })
  socket.on('error', () => {})
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }]
  socket.terminate()
  return response.statusCode
}

async function subscriber(manager: DevelopmentAccessManager, ...topics: string[]): Promise<Listener> {
  const listener = await Listener.open(manager, header(await agentToken(manager)))
  for (const topic of topics) {
    listener.say({ action: 'subscribe', topic })
    await listener.next()
  }
  return listener
}

test('only an agent with its session in the header is accepted', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const token = await agentToken(manager)
  assert.equal(await refusal(manager, {}), 401)
  assert.equal(await refusal(manager, header('forged')), 401)
  assert.equal(await refusal(manager, { Cookie: `iPlanetDirectoryPro=${token}` }), 401)
  assert.equal(await refusal(manager, header(manager.login('demo'))), 403)
  using listener = await Listener.open(manager, header(token))
  assert.equal(listener.socket.protocol, SUBPROTOCOL)
})

test('subscriptions are acknowledged with their id, errors have a reason', async () => {
  await using manager = await DevelopmentAccessManager.start()
  using listener = await subscriber(manager)
  listener.say({ action: 'subscribe', topic: '/agent/policy', id: '1' })
  assert.deepEqual(await listener.next(), { topic: '/agent/policy', message: 'subscription registered', id: '1' })
  listener.say({ action: 'foo', id: '2' })
  assert.deepEqual(await listener.next(), { error: 'unknown action "foo"', id: '2' })
  listener.say({ action: 'subscribe' })
  assert.deepEqual(await listener.next(), { error: 'missing required field "topic"' })
  listener.say('nonsense')
  assert.deepEqual(await listener.next(), { error: 'invalid JSON' })
  for (let topic = 1; topic < 100; topic++) {
    listener.say({ action: 'subscribe', topic: `/t/${topic}` })
    await listener.next()
  }
  listener.say({ action: 'subscribe', topic: '/one/more' })
  assert.deepEqual(await listener.next(), { error: 'too many topics' })
})

test('only subscribers of a topic receive its notifications, in the envelope', async () => {
  await using manager = await DevelopmentAccessManager.start()
  using one = await subscriber(manager, '/agent/policy')
  using other = await subscriber(manager, '/agent/config')
  manager.publish('/agent/policy', { realm: '/', policySet: 'PEP' })
  manager.publish('/agent/config', { agentName: 'ig_agent' })
  const heard = await one.next()
  const { timestamp, ...rest } = heard
  assert.deepEqual(rest, { topic: '/agent/policy', body: { realm: '/', policySet: 'PEP' } })
  assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal((await other.next())['topic'], '/agent/config')
})

test('the end of a session is sent on both topics, and by OpenAM only on the older', async () => {
  await using manager = await DevelopmentAccessManager.start()
  using listener = await subscriber(manager, '/agent/session', '/agent/session.v2')
  const { body } = await login(manager, 'demo', 'changeit')
  const token = body['tokenId'] as string
  const { body: valid } = await sendRequest(manager, 'POST', '/json/sessions?_action=validate', {
    headers: header(token),
  })
  await sendRequest(manager, 'POST', '/json/sessions?_action=logout', { headers: header(token) })
  assert.deepEqual((await listener.next())['body'], { tokenId: token, eventType: 'LOGOUT' })
  assert.deepEqual((await listener.next())['body'], {
    sessionuid: valid['sessionUid'],
    universalId: 'id=demo,ou=user,dc=openam,dc=example',
    realm: '/',
    eventType: 'LOGOUT',
  })

  await using older = await DevelopmentAccessManager.start({ family: 'openam' })
  using other = await subscriber(older, '/agent/session', '/agent/session.v2')
  older.endSession(older.login('demo'))
  older.endSession(older.login('demo'))
  assert.equal((await other.next())['topic'], '/agent/session')
  assert.equal((await other.next())['topic'], '/agent/session')
})

test('an expired session is notified without a request for it', async () => {
  await using manager = await DevelopmentAccessManager.start({ maxIdle: 600_000, maxSession: 900_000 })
  using listener = await subscriber(manager, '/agent/session')
  const token = manager.login('demo')
  manager.advance(300_000)
  await sendRequest(manager, 'POST', '/json/sessions?_action=validate&refresh=false', { headers: header(token) })
  await sendRequest(manager, 'GET', '/json/serverinfo/version', { headers: header(token) })
  manager.advance(600_001)
  const events = [await listener.next(), await listener.next()].map(({ body }) => body) as { eventType: string }[]
  assert.deepEqual(
    events.map(({ eventType }) => eventType),
    ['IDLE_TIMEOUT', 'MAX_TIMEOUT'],
  )
})

test('the revocation of an access token and of a refresh token is sent with the ids of introspection', async () => {
  await using manager = await DevelopmentAccessManager.start()
  using listener = await subscriber(manager, REVOCATION_TOPIC)
  const client = basic('client-application', 'password')
  const granted = await sendRequest(
    manager,
    'POST',
    '/oauth2/access_token',
    form({ grant_type: 'password', username: 'demo', password: 'changeit', scope: 'mail' }, client),
  )
  const access = granted.body['access_token'] as string
  const { body: info } = await sendRequest(manager, 'POST', '/oauth2/introspect', form({ token: access }, client))
  await sendRequest(manager, 'POST', '/oauth2/token/revoke', form({ token: access }, client))
  assert.deepEqual((await listener.next())['body'], {
    realm: '/',
    authGrantId: info['authGrantId'],
    auditTrackingId: info['auditTrackingId'],
    eventType: 'REVOKE',
  })
  const refresh = granted.body['refresh_token'] as string
  await sendRequest(manager, 'POST', '/oauth2/token/revoke', form({ token: refresh }, client))
  const { body } = (await listener.next()) as { body: Record<string, unknown> }
  assert.equal(body['authGrantId'], info['authGrantId'])
})

test('tests can drop, reject and await sockets', async () => {
  await using manager = await DevelopmentAccessManager.start()
  using listener = await subscriber(manager, '/agent/policy')
  await manager.subscribed('/agent/policy')
  assert.equal(manager.sockets, 1)
  manager.dropSockets()
  await once(listener.socket, 'close')
  await manager.socketsDwindled()
  const token = await agentToken(manager)
  manager.refuseUpgrades(503)
  assert.equal(await refusal(manager, header(token)), 503)
  manager.refuseUpgrades(null)
  manager.fail('notifications', { status: 403, times: 1 })
  assert.equal(await refusal(manager, header(token)), 403)
  using again = await Listener.open(manager, header(token))
  manager.dropSockets(1012)
  const [code] = (await once(again.socket, 'close')) as [number]
  assert.equal(code, 1012)
})

test('the server pings, and closes unresponsive sockets with the next notification', async () => {
  await using manager = await DevelopmentAccessManager.start({ pingInterval: 20 })
  const token = await agentToken(manager)
  const deaf = new WebSocket(address(manager), [SUBPROTOCOL], { headers: header(token), autoPong: false })
  await once(deaf, 'open')
  deaf.send('{"action":"subscribe","topic":"/agent/policy"}')
  await once(deaf, 'message')
  for (let pings = 0; pings < 4; pings++) await once(deaf, 'ping')
  manager.publish('/agent/policy', {})
  await once(deaf, 'close')
})

test('the number of sockets is limited', async () => {
  await using manager = await DevelopmentAccessManager.start({ limits: { sockets: 1 } })
  using _ = await subscriber(manager)
  assert.equal(await refusal(manager, header(await agentToken(manager))), 503)
})

test('a rejected client that does not disconnect does not block the shutdown of the server', async () => {
  const manager = await DevelopmentAccessManager.start()
  const socket = connect({ port: Number(new URL(manager.url).port), allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write(
    'GET /am/notifications HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const [data] = (await once(socket, 'data')) as [Buffer]
  assert.match(data.toString(), /^HTTP\/1\.1 401 /)
  await manager.close()
  socket.destroy()
})
