import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Body, BodyTooLargeError, type Handler, internalCall, internalExchange, Request, Response, Uri } from '#http'
import { rawUpstream } from '#test/upstream'
import { once } from '#test/waiting'

const LIMITS = { timeout: 5_000, maxBytes: 1_000 }

const exchange = () => internalExchange(new Request({ method: 'GET', uri: Uri.parse('http://a.example/') }))

const never: Handler = () => new Promise(() => {})

test('resolves with status, headers and body', async () => {
  const handler: Handler = async () => new Response(404, { headers: { 'X-A': 'b' }, body: 'not here' })
  const { status, headers, cause, body } = await internalCall(handler, exchange(), LIMITS)
  assert.deepEqual([status, headers.get('x-a'), cause, Buffer.from(body).toString()], [404, 'b', null, 'not here'])
})

test('reads only the bodies selected by the caller', async () => {
  let cancelled = false
  const cancel = () => {
    cancelled = true
  }
  const source = { start: () => {}, pause: () => {}, resume: () => {}, cancel }
  const response = new Response(302, { body: Body.fromSource(source) })
  const limits = { ...LIMITS, wantsBody: ({ status }: Response) => status === 200 }
  const { body } = await internalCall(async () => response, exchange(), limits)
  assert.deepEqual([body.length, cancelled], [0, true])
})

test('a body over maxBytes rejects', async () => {
  const handler: Handler = async () => new Response(200, { body: 'x'.repeat(1_001) })
  await assert.rejects(internalCall(handler, exchange(), LIMITS), BodyTooLargeError)
})

test('aborts the exchange at the deadline, also while the body is read, and completes it', async () => {
  const source = { start: () => {}, pause: () => {}, resume: () => {}, cancel: () => {} }
  const hanging = new Response(200, { body: Body.fromSource(source) })
  for (const handler of [never, async () => hanging]) {
    const own = exchange()
    const events: string[] = []
    own.onAbort(({ message }) => events.push(message))
    own.onComplete(() => events.push('completed'))
    await assert.rejects(internalCall(handler, own, { ...LIMITS, timeout: 20 }), {
      name: 'InternalCallTimeoutError',
      message: 'no response within 20 ms',
    })
    assert.deepEqual(events, ['no response within 20 ms', 'completed'])
  }
})

test('is aborted together with the exchange it is made for', async () => {
  const client = exchange()
  const own = exchange()
  const handler: Handler = ({ signal }) => once(signal, 'abort').then(() => Promise.reject(signal.reason))
  const call = internalCall(handler, own, { ...LIMITS, abortWith: client })
  client.abort(new Error('the client is gone'))
  await assert.rejects(call, { message: 'the client is gone' })
})

test('a response that arrived during an event-loop stall is used, although the deadline has passed', async () => {
  await using upstream = await rawUpstream((socket) => {
    socket.end('late')
    const end = performance.now() + 300
    while (performance.now() < end);
  })
  const handler: Handler = async () => {
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1').setEncoding('utf8')
    socket.write('question\r\n\r\n')
    const [text] = (await once(socket, 'data')) as [string]
    socket.destroy()
    return new Response(200, { body: text })
  }
  const { body } = await internalCall(handler, exchange(), { ...LIMITS, timeout: 150 })
  assert.equal(Buffer.from(body).toString(), 'late')
})
