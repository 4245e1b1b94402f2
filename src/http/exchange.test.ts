import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import {
  Body,
  type ClientInfo,
  chain,
  contextKey,
  Exchange,
  type Filter,
  plainAddress,
  Request,
  respond,
  TemporaryStorage,
  TransactionId,
  transientSession,
  Uri,
} from './index.ts'

const client: ClientInfo = {
  remoteAddress: '192.0.2.7',
  remotePort: 40_000,
  remoteUser: null,
  localAddress: '192.0.2.1',
  localPort: 8080,
  certificates: [],
  userAgent: 'test',
  secure: false,
  external: true,
}
const storage = new TemporaryStorage({ initialLength: 8, memoryLimit: 100, fileLimit: 100, directory: '' })

function exchangeOf(body: Body = Body.empty): Exchange {
  return new Exchange({ request: new Request({ method: 'GET', uri: Uri.parse('http://gw/a'), body }), client, storage })
}

interface Colour {
  colour: string
}
const ColourContext = contextKey<Colour>('colour')

test('a context is visible downstream only; of several with one name the nearest is used', () => {
  const exchange = exchangeOf()
  const child = exchange.with(ColourContext, { colour: 'red' })
  const grandchild = child.with(ColourContext, { colour: 'blue' })
  assert.equal(exchange.context(ColourContext), null)
  assert.equal(child.context(ColourContext)?.colour, 'red')
  assert.equal(grandchild.context(ColourContext)?.colour, 'blue')
  assert.equal(grandchild.withRequest(exchange.request).context(ColourContext)?.colour, 'blue')
})

test('children share attributes, id, transaction and session', () => {
  const exchange = exchangeOf()
  const child = exchange.with(ColourContext, { colour: 'red' })
  child.attributes['x'] = 1
  child.session.set('s', 2)
  assert.equal(exchange.attributes['x'], 1)
  assert.equal(exchange.session.get('s'), 2)
  assert.equal(exchange.id, child.id)
  assert.equal(exchange.transactionId, child.transactionId)
  assert.notEqual(exchange.id, exchangeOf().id)
})

test('B33: attributes have no prototype', () => {
  const { attributes } = exchangeOf()
  assert.equal(Object.getPrototypeOf(attributes), null)
  assert.equal(attributes['constructor'], undefined)
})

test('request, session and original URI can be replaced downstream', () => {
  const exchange = exchangeOf()
  const session = transientSession()
  const request = new Request({ method: 'PUT', uri: Uri.parse('http://up/') })
  const child = exchange
    .withRequest(request)
    .withSession(session)
    .withOriginalUri(Uri.parse('https://public/x'))
    .with(ColourContext, { colour: 'red' })
  assert.equal(child.request, request)
  assert.equal(child.session, session)
  assert.equal(child.originalUri.toString(), 'https://public/x')
  assert.equal(child.context(ColourContext)?.colour, 'red')
  assert.equal(exchange.request.method, 'GET')
  assert.notEqual(exchange.session, session)
})

test('the original URI is unchanged when the request is rebased', () => {
  const exchange = exchangeOf()
  exchange.request.uri.rebase(Uri.parse('https://up:8443'))
  assert.equal(exchange.originalUri.toString(), 'http://gw/a')
})

test('abort calls every subscriber once, also later ones', () => {
  const exchange = exchangeOf()
  const seen: string[] = []
  const child = exchange.with(ColourContext, { colour: 'red' })
  child.onAbort((reason) => seen.push(`first ${reason.message}`))
  const unsubscribe = child.onAbort(() => seen.push('never'))
  unsubscribe()
  assert.equal(child.aborted, false)

  exchange.abort(new Error('gone'))
  exchange.abort(new Error('again'))
  child.onAbort((reason) => seen.push(`late ${reason.message}`))

  assert.deepEqual(seen, ['first gone', 'late gone'])
  assert.equal(child.aborted, true)
  assert.equal((child.signal.reason as Error).message, 'gone')
})

test('subscribers of an abort are called in the order of subscription, also after unsubscriptions', () => {
  const exchange = exchangeOf()
  const seen: string[] = []
  const subscribe = (name: string) => exchange.onAbort(() => seen.push(name))
  const leave = subscribe('first')
  subscribe('second')
  leave()
  subscribe('third')
  leave()
  exchange.abort(new Error('gone'))
  leave()
  assert.deepEqual(seen, ['second', 'third'])
})

test('a function subscribed several times is called as often, and each unsubscribe removes one subscription', () => {
  const exchange = exchangeOf()
  let calls = 0
  const count = () => {
    calls += 1
  }
  const leave = exchange.onAbort(count)
  leave()
  const leaveSecond = exchange.onAbort(count)
  leave()
  const leaveThird = exchange.onAbort(count)
  exchange.onAbort(count)
  leaveThird()
  leaveThird()
  exchange.abort(new Error('gone'))
  leaveSecond()
  assert.equal(calls, 2)
})

test('a subscriber after completion is never called, and may unsubscribe', () => {
  const exchange = exchangeOf()
  exchange.complete()
  let calls = 0
  const leave = exchange.onAbort(() => calls++)
  exchange.abort(new Error('late'))
  leave()
  assert.equal(calls, 0)
})

test('abort of the exchange aborts its signal', () => {
  const exchange = exchangeOf()
  const { signal } = exchange
  assert.equal(signal.aborted, false)
  exchange.abort(new Error('gone'))
  assert.equal(signal.aborted, true)
  assert.equal(exchange.signal, signal)
})

test('the other subscribers are called after one has thrown', () => {
  const exchange = exchangeOf()
  let calls = 0
  exchange.onAbort(() => {
    throw new Error('bad')
  })
  exchange.onAbort(() => {
    calls += 1
  })
  assert.throws(() => exchange.abort(new Error('gone')), /bad/)
  assert.equal(calls, 1)
})

test('completion is reported once, and a later abort is ignored', () => {
  const exchange = exchangeOf()
  const seen: string[] = []
  exchange.onComplete(() => seen.push('complete'))
  exchange.onAbort(() => seen.push('abort'))
  exchange.complete()
  exchange.complete()
  exchange.abort(new Error('late'))
  exchange.onComplete(() => seen.push('late'))
  assert.deepEqual(seen, ['complete', 'late'])
  assert.equal(exchange.aborted, false)
})

test('completion cancels the bodies of the request and of its replacements', () => {
  const streams = [0, 1].map(() => new Readable({ read: () => undefined }))
  const exchange = exchangeOf(Body.fromStream(streams[0]!))
  exchange.withRequest(
    new Request({ method: 'POST', uri: Uri.parse('http://up/'), body: Body.fromStream(streams[1]!) }),
  )
  exchange.complete()
  assert.deepEqual(
    streams.map((stream) => stream.destroyed),
    [true, true],
  )
})

test('a chain runs its filters in order, then the handler', async () => {
  const seen: string[] = []
  const filter =
    (name: string): Filter =>
    async (exchange, next) => {
      seen.push(`${name} in`)
      const response = await next(exchange.with(ColourContext, { colour: name }))
      seen.push(`${name} out`)
      return response
    }
  const handler = chain([filter('a'), filter('b')], async (exchange) =>
    respond(200, {}, exchange.context(ColourContext)?.colour),
  )
  const response = await handler(exchangeOf())
  assert.equal(response.body.text(), 'b')
  assert.deepEqual(seen, ['a in', 'b in', 'b out', 'a out'])
})

test('a chain without filters is its handler', () => {
  const handler = async () => respond(204)
  assert.equal(chain([], handler), handler)
})

test('B20: an IPv4-mapped IPv6 address becomes the IPv4 address', () => {
  assert.equal(plainAddress('::ffff:1.2.3.4'), '1.2.3.4')
  assert.equal(plainAddress('::FFFF:1.2.3.4'), '1.2.3.4')
  assert.equal(plainAddress('1.2.3.4'), '1.2.3.4')
  assert.equal(plainAddress('::1'), '::1')
})

test('B21: a transaction id is bounded and sanitized', () => {
  assert.equal(new TransactionId('abc-1/2').value, 'abc-1/2')
  assert.equal(new TransactionId('a'.repeat(10_240)).value.length, 200)
  assert.match(new TransactionId('a\r\nX: y%0d%0a\u001b[31m\u2028"').value, /^[A-Za-z0-9._~:/@=+-]+$/)
  assert.match(new TransactionId('').value, /^[0-9a-f-]{36}$/)
  assert.notEqual(new TransactionId().value, new TransactionId().value)
})

test('outbound calls are numbered from 0', () => {
  const id = new TransactionId('t')
  assert.deepEqual([id.next(), id.next()], ['t/0', 't/1'])
})

test('a session stores copies of JSON values only', () => {
  const session = transientSession()
  const value = { a: [1, { b: null }] }
  assert.equal(session.isEmpty, true)
  session.set('k', value)
  value.a.push(2)
  assert.equal(JSON.stringify(session.get('k')), '{"a":[1,{"b":null}]}')
  assert.equal(session.get('none'), null)
  session.set('__proto__', 'x')
  assert.deepEqual([...session.keys()], ['k', '__proto__'])
  const loop: unknown[] = []
  loop.push(loop)
  for (const bad of [() => 1, new Map(), new Date(), Number.NaN, undefined, 1n, Symbol('x'), loop]) {
    assert.throws(() => session.set('bad', bad), TypeError)
  }
  assert.equal(session.delete('k'), true)
  assert.equal(session.delete('k'), false)
  session.clear()
  assert.equal(session.isEmpty, true)
})

test('informational responses reach the sender until the exchange is complete', () => {
  const exchange = exchangeOf()
  const taken: number[] = []
  exchange.informationalSender = { sendInformational: (status) => taken.push(status) }
  exchange.with(ColourContext, { colour: 'red' }).sendInformational(103, [])
  exchange.complete()
  exchange.sendInformational(103, [])
  assert.deepEqual(taken, [103])
})
