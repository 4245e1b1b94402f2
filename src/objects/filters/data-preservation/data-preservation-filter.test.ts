import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isContentPreserved, markLoginRedirect } from '#contracts'
import { type Exchange, type Filter, type Response, respond, type Session, transientSession } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { DataPreservationFilter } from './data-preservation-filter.ts'

interface Received {
  readonly method: string
  readonly uri: string
  readonly type: string | null
  readonly content: string
}

async function withFilter(config: Record<string, JsonValue> = {}) {
  const clock = manualClock()
  const built = await build<Filter>(DataPreservationFilter, config, { clock })
  return {
    clock,
    async send(exchange: Exchange, session: Session, isLoggedIn: boolean, status = 302) {
      let received: Received | null = null
      const response = await built.object(exchange.withSession(session), async (inside) => {
        const { request, originalUri } = inside
        if (!isLoggedIn)
          return markLoginRedirect(
            respond(status, { Location: originalUri.toString(), 'X-Kept': `${isContentPreserved(inside)}` }),
          )
        const content = Buffer.from(await request.body.read(10_000)).toString()
        received = {
          method: request.method,
          uri: request.uri.toString(),
          type: request.headers.get('content-type'),
          content,
        }
        return respond(200)
      })
      return { response, received: received as Received | null }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const URL = 'http://app.example/order?a=1'
const post = (body: string, url = URL) =>
  exchangeFor('POST', url, { body, headers: { 'Content-Type': 'text/plain', 'Content-Length': String(body.length) } })
const textOf = async (response: Response) => Buffer.from(await response.body.read(10_000)).toString()

test('content of a POST is kept over a login: a page posts again, and the application receives it', async () => {
  await using filter = await withFilter()
  const session = transientSession()
  const first = await filter.send(post('item=1&x=ä'), session, false)
  const back = first.response.headers.get('location') as string
  assert.match(back, /^http:\/\/app\.example\/order\?a=1&_pdp=[\w-]{22}$/)
  assert.equal(first.response.headers.get('x-kept'), 'true')
  const page = await filter.send(exchangeFor('GET', back), session, true)
  assert.deepEqual([page.received, page.response.status], [null, 200])
  // With no-referrer Chromium sends `Origin: null` with the form over plain HTTP, which is that of another origin.
  assert.equal(page.response.headers.get('referrer-policy'), 'same-origin')
  assert.ok((await textOf(page.response)).includes(`action="${back.replaceAll('&', '&#38;')}"`))
  const replayed = await filter.send(exchangeFor('POST', back, { body: '' }), session, true)
  assert.deepEqual(replayed.received, { method: 'POST', uri: URL, type: 'text/plain', content: 'item=1&x=ä' })
  const twice = await filter.send(exchangeFor('POST', back, { body: '' }), session, true)
  assert.equal(twice.received?.content, '')
})

test('a POST that is logged in is passed on unchanged, and nothing is stored', async () => {
  await using filter = await withFilter()
  const session = transientSession()
  const { received } = await filter.send(post('item=1'), session, true)
  assert.deepEqual(received, { method: 'POST', uri: URL, type: 'text/plain', content: 'item=1' })
  assert.equal(session.isEmpty, true)
})

test('a login page never receives the content: 307 becomes 303', async () => {
  await using filter = await withFilter()
  assert.equal((await filter.send(post('secret'), transientSession(), false, 307)).response.status, 303)
})

test('content that is too large, empty or of unknown length is not kept', async () => {
  await using filter = await withFilter({ maxContentLength: 4 })
  for (const body of ['12345', '']) {
    const session = transientSession()
    const { response } = await filter.send(post(body), session, false)
    assert.deepEqual([response.headers.get('location'), response.headers.get('x-kept')], [URL, 'false'])
    assert.equal(session.isEmpty, true)
  }
})

test('an id is valid in its own session, and until it expires; the parameter is never passed on', async () => {
  await using filter = await withFilter({ lifetime: '1 minute' })
  const session = transientSession()
  const back = (await filter.send(post('x'), session, false)).response.headers.get('location') as string
  const stolen = await filter.send(exchangeFor('GET', back), transientSession(), true)
  assert.deepEqual([stolen.received?.uri, stolen.received?.content], [URL, ''])
  filter.clock.advance(60_000)
  assert.equal((await filter.send(exchangeFor('GET', back), session, true)).received?.uri, URL)
  for (const id of ['__proto__', 'constructor', ''])
    assert.equal((await filter.send(exchangeFor('GET', `${URL}&_pdp=${id}`), session, true)).received?.uri, URL)
})

test('a session has at most three; the oldest is dropped', async () => {
  await using filter = await withFilter()
  const session = transientSession()
  const urls: string[] = []
  for (const body of ['1', '2', '3', '4'])
    urls.push((await filter.send(post(body), session, false)).response.headers.get('location') as string)
  const statuses = []
  for (const url of urls) statuses.push((await filter.send(exchangeFor('GET', url), session, true)).received === null)
  assert.deepEqual(statuses, [false, true, true, true])
})

for (const [name, config, message] of [
  ['no room', { maxContentLength: 0 }, /maxContentLength/],
  ['an unlimited lifetime', { lifetime: 'unlimited' }, /lifetime/],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(withFilter(config), (error: Error & { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}

test('content from pages of other origins is not kept', async () => {
  await using filter = await withFilter()
  for (const headers of [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ]) {
    const session = transientSession()
    const exchange = exchangeFor('POST', URL, { body: 'to=mallory', headers: { 'Content-Length': '10', ...headers } })
    const { response } = await filter.send(exchange, session, false)
    assert.deepEqual([response.headers.get('location'), response.headers.get('x-kept')], [URL, 'false'])
    assert.equal(session.isEmpty, true)
  }
})

test('content is sent to the path that it was for, and to no other', async () => {
  await using filter = await withFilter()
  const session = transientSession()
  const { response } = await filter.send(post('item=1'), session, false)
  const back = response.headers.get('location') as string
  const other = back.replace('/order', '/transfer')
  const page = await filter.send(exchangeFor('GET', other), session, true)
  assert.deepEqual([page.received?.uri, page.received?.content], ['http://app.example/transfer?a=1', ''])
  const posted = await filter.send(exchangeFor('POST', other, { body: '' }), session, true)
  assert.equal(posted.received?.content, '')
  assert.equal((await filter.send(exchangeFor('POST', back, { body: '' }), session, true)).received?.content, 'item=1')
})
