import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { SsoTokenContext } from '#contracts'
import { Body, type Exchange, type Filter, type Handler, Response, respond, transientSession } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { HttpBasicAuthFilter } from './http-basic-auth-filter.ts'

const CONFIG = {
  username: '${request.queryParams.user[0]}',
  password: '${request.queryParams.password[0]}',
  failureHandler: { type: 'StaticResponseHandler', config: { status: 403, reason: 'No' } },
}

const built = (config: JsonObject = {}) =>
  build<Filter>(HttpBasicAuthFilter, { ...CONFIG, ...config }, { types: [StaticResponseHandler] })

/** An application with one account, which records each request. */
class Application {
  readonly seen: string[] = []
  password = 'right'

  readonly handler: Handler = async ({ request }: Exchange) => {
    const field = request.headers.get('authorization') ?? ''
    const credentials = Buffer.from(field.replace(/^Basic /, ''), 'base64').toString()
    await request.body.bufferIfFits(exchangeFor('GET', 'http://x/').storage).catch(() => false)
    this.seen.push(
      `${request.method} ${credentials || 'none'}${request.body.isBuffered ? ` ${request.body.text()}` : ''}`.trim(),
    )
    if (credentials === `ann:${this.password}`)
      return respond(200, { 'WWW-Authenticate': 'Basic realm="x"' }, 'welcome')
    return respond(401, { 'WWW-Authenticate': 'Basic realm="x"' }, 'who?')
  }
}

interface Sent {
  readonly session?: ReturnType<typeof transientSession>
  readonly body?: Body | string
  readonly host?: string
  readonly headers?: Record<string, string>
}

async function send(filter: Filter, app: Application, query: string, sent: Sent = {}): Promise<Response> {
  const { session = transientSession(), host = 'app.example', headers = {} } = sent
  const url = `http://${host}/${query}`
  const parts = sent.body === undefined ? { headers } : { headers, body: sent.body }
  return filter(exchangeFor('POST', url, parts).withSession(session), app.handler)
}

const ANN = '?user=ann&password=right'

test('credentials are kept after a success or a redirect, and not after an error', async () => {
  await using filter = await built()
  for (const [status, isKept] of [
    [204, true],
    [302, true],
    [304, true],
    [403, false],
    [404, false],
    [500, false],
    [503, false],
  ] as const) {
    const session = transientSession()
    const exchange = exchangeFor('GET', `http://app.example/${ANN}`).withSession(session)
    assert.equal((await filter.object(exchange, async () => respond(status))).status, status)
    const kept = [...session.keys()].some((key) => session.get(key) !== undefined && key.includes('app.example'))
    assert.equal(kept, isKept, String(status))
  }
})

test('credentials of the session stay after an error of the application', async () => {
  await using filter = await built()
  const [app, session] = [new Application(), transientSession()]
  await send(filter.object, app, ANN, { session })
  const failing = exchangeFor('GET', 'http://app.example/').withSession(session)
  assert.equal((await filter.object(failing, async () => respond(500))).status, 500)
  assert.equal((await send(filter.object, app, '', { session })).status, 200)
})

test('a request is sent with the credentials, without waiting for a challenge', async () => {
  await using filter = await built()
  const app = new Application()
  const response = await send(filter.object, app, ANN, { body: 'content' })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('www-authenticate'), null)
  assert.deepEqual(app.seen, ['POST ann:right content'])
})

test('accepted credentials are sent with further requests of the session to the same server only', async () => {
  await using filter = await built()
  const app = new Application()
  const session = transientSession()
  await send(filter.object, app, ANN, { session })
  assert.equal((await send(filter.object, app, '', { session })).status, 200)
  assert.deepEqual(app.seen.slice(1), ['POST ann:right'])
  for (const host of ['other.example', 'app.example:81']) {
    assert.equal((await send(filter.object, app, '', { session, host })).status, 403)
  }
  assert.equal((await send(filter.object, app, '')).status, 403)
  assert.equal(app.seen.length, 2)
})

test('credentials of one user are not sent with requests of another', async () => {
  await using filter = await built()
  const app = new Application()
  const session = transientSession()
  const askAs = (universalId: string, query = '') => {
    const token = { value: 'token', info: {}, loginEndpoint: '', universalId }
    const exchange = exchangeFor('GET', `http://app.example/${query}`).withSession(session)
    return filter.object(exchange.with(SsoTokenContext, token), app.handler)
  }
  assert.equal((await askAs('ann', ANN)).status, 200)
  assert.equal((await askAs('ann')).status, 200)
  assert.equal((await askAs('bob')).status, 403)
  assert.deepEqual(app.seen, ['GET ann:right', 'GET ann:right'])
})

test('cacheHeader false keeps nothing in the session', async () => {
  await using filter = await built({ cacheHeader: false })
  const app = new Application()
  const session = transientSession()
  assert.equal((await send(filter.object, app, ANN, { session })).status, 200)
  assert.ok(session.isEmpty)
  assert.equal((await send(filter.object, app, '', { session })).status, 403)
})

test('outdated credentials of the session are replaced, or forgotten with the failure', async () => {
  await using filter = await built()
  const app = new Application()
  const session = transientSession()
  await send(filter.object, app, ANN, { session })
  app.password = 'changed'
  assert.equal((await send(filter.object, app, '?user=ann&password=changed', { session })).status, 200)
  assert.deepEqual(app.seen.slice(1), ['POST ann:right', 'POST ann:changed'])
  app.password = 'again'
  assert.equal((await send(filter.object, app, '?user=ann&password=changed', { session })).status, 403)
  assert.deepEqual(app.seen.slice(3), ['POST ann:changed'])
  assert.ok(session.isEmpty)
})

test('rejected and missing credentials go to the failure handler, and equal ones are not sent twice', async () => {
  await using filter = await built()
  const app = new Application()
  assert.equal((await send(filter.object, app, '?user=ann&password=wrong')).status, 403)
  assert.equal((await send(filter.object, app, '?user=ann')).status, 403)
  assert.deepEqual(app.seen, ['POST ann:wrong'])
  const exchange = auditedExchange('GET', 'http://app.example/').withSession(transientSession())
  await filter.object(exchange, app.handler)
  const { by, reason } = exchange.audit?.decision ?? {}
  assert.deepEqual([by, reason], ['gateway+object', 'no credentials that the application accepts'])
})

test('a refusal of a filter behind it stays the decision', async () => {
  await using filter = await built()
  const exchange = auditedExchange('GET', 'http://app.example/?user=ann&password=right').withSession(transientSession())
  await filter.object(exchange, async (inner) => {
    inner.decided({ result: 'DENIED', by: 'behind', reason: 'blocked' })
    return respond(401)
  })
  assert.equal(exchange.audit?.decision?.by, 'behind')
})

test('the Authorization of the client is not sent', async () => {
  await using filter = await built()
  const app = new Application()
  const authorization = `Basic ${Buffer.from('ann:right').toString('base64')}`
  assert.equal((await send(filter.object, app, '', { headers: { authorization } })).status, 403)
  assert.equal((await send(filter.object, app, '?user=ann&password=wrong', { headers: { authorization } })).status, 403)
  assert.deepEqual(app.seen, ['POST ann:wrong'])
})

for (const [what, user, password] of [
  ['a colon in the user name', 'a:b', 'x'],
  ['a line break in the user name', 'a\nb', 'x'],
  ['a line break in the password', 'ann', 'x\r\nX-Admin: true'],
] as const) {
  test(`${what} fails the request, without showing it`, async () => {
    await using filter = await built()
    const app = new Application()
    const query = `?user=${encodeURIComponent(user)}&password=${encodeURIComponent(password)}`
    await assert.rejects(send(filter.object, app, query), ({ message }: Error) => {
      assert.match(message, /Basic credentials/)
      return !message.includes('a:b') && !message.includes('X-Admin')
    })
    assert.deepEqual(app.seen, [])
  })
}

test('outdated credentials of the session: the body is sent again, and one that exceeds the temporary storage once', async () => {
  await using filter = await built()
  const app = new Application()
  const session = transientSession()
  await send(filter.object, app, ANN, { session })
  app.password = 'changed'
  assert.equal((await send(filter.object, app, '?user=ann&password=changed', { session, body: 'content' })).status, 200)
  assert.deepEqual(app.seen.slice(1), ['POST ann:right content', 'POST ann:changed content'])
  app.password = 'again'
  const body = Body.fromStream(Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(65_536, 'x'))))
  assert.equal((await send(filter.object, app, '?user=ann&password=again', { session, body })).status, 403)
  assert.equal(app.seen.length, 4)
})

test('other responses are passed on', async () => {
  await using filter = await built()
  const response = await filter.object(exchangeFor('GET', `http://app.example/${ANN}`), async () => new Response(404))
  assert.equal(response.status, 404)
})

test('every field but cacheHeader is required', async () => {
  await assert.rejects(build(HttpBasicAuthFilter, {}), (error: Error) => {
    for (const field of ['username', 'password', 'failureHandler']) {
      assert.match(error.message, new RegExp(`/heap/0/config/${field}: .*this field is required`))
    }
    return true
  })
})
