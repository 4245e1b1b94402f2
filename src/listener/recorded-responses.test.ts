// Responses whose last bytes wait until the audit event of the request is stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Body,
  type BodySink,
  type EventStorage,
  type Exchange,
  RequestAudit,
  type RequestOutcome,
  Response,
  respond,
} from '#http'
import type { ListenerSettings } from '#listener'
import { Authority, opensslMissing, serverTlsOf } from '#test/certificates'
import { H2Client } from '#test/h2-client'
import { listening, RawClient } from '#test/listening'
import { waitUntil, within } from '#test/waiting'

/** The storage of events, driven by a test. */
class Storage {
  readonly outcomes: string[] = []
  /** The rest of each response, in their order. */
  readonly #waiting: (() => void)[] = []

  readonly audit: NonNullable<ListenerSettings['audit']> = {
    begin: (exchange) => {
      exchange.audit = new Recorded(exchange, this)
    },
    refused: () => assert.fail('the request is known'),
  }

  get recorded(): number {
    return this.#waiting.length
  }

  record(): EventStorage {
    return { whenStored: (next) => this.#waiting.push(next) }
  }

  /** Stores the event of the last request. */
  store(): void {
    this.#waiting.at(-1)?.()
  }
}

class Recorded extends RequestAudit {
  readonly #storage: Storage

  constructor(exchange: Exchange, storage: Storage) {
    super(exchange)
    this.#storage = storage
  }

  override get isRecorded(): boolean {
    return true
  }

  override record(): EventStorage {
    return this.#storage.record()
  }

  override end({ response, end }: RequestOutcome): void {
    this.#storage.outcomes.push(`${response?.status} ${end}`)
  }

  override discard(): void {}
}

/** A body that arrives in two parts. */
function inParts(length: number | null): Response {
  let sink: BodySink
  const source = {
    start: (target: BodySink) => {
      sink = target
      setImmediate(() => {
        sink.write(Buffer.from('first '))
        setImmediate(() => {
          sink.write(Buffer.from('second'))
          sink.end(null)
        })
      })
    },
    resume: () => {},
    cancel: () => {},
  }
  return new Response(200, { body: Body.fromSource(source, length) })
}

const RESPONSES: readonly (readonly [name: string, make: () => Response, whole: RegExp])[] = [
  ['without a body', () => new Response(204), /^HTTP\/1\.1 204 /],
  ['in one write', () => respond(200, {}, 'hello'), /hello$/],
  ['of a known length', () => inParts(12), /first second$/],
  ['in chunks', () => inParts(null), /second\r\n0\r\n\r\n$/],
]

for (const [name, make, whole] of RESPONSES) {
  test(`a response ${name} is complete when the event is stored, not before`, async () => {
    const storage = new Storage()
    await using server = await listening(async () => make(), { audit: storage.audit })
    await using client = new RawClient(server.port)
    for (const request of [1, 2]) {
      client.text = ''
      client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await waitUntil('the response is to be recorded', () => storage.recorded === request)
      assert.doesNotMatch(client.text, whole)
      assert.equal(storage.outcomes.length, request - 1)
      storage.store()
      await client.receives(whole)
      await waitUntil('the request has ended', () => storage.outcomes.length === request)
    }
    assert.equal(new Set(storage.outcomes).size, 1)
    assert.match(storage.outcomes[0] ?? '', / sent$/)
  })
}

test('a handler that fails has a response that is recorded', async () => {
  const storage = new Storage()
  await using server = await listening(() => Promise.reject(new Error('broken')), { audit: storage.audit })
  await using client = new RawClient(server.port)
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await waitUntil('the response is to be recorded', () => storage.recorded === 1)
  assert.equal(client.text, '')
  storage.store()
  await client.receives(/^HTTP\/1\.1 500 /)
})

test('a client that leaves before the event is stored has aborted the request', async () => {
  const storage = new Storage()
  await using server = await listening(async () => respond(200, {}, 'hello'), { audit: storage.audit })
  await using client = new RawClient(server.port)
  client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await waitUntil('the response is to be recorded', () => storage.recorded === 1)
  client.socket.resetAndDestroy()
  await waitUntil('the request has ended', () => storage.outcomes.length === 1)
  storage.store()
  assert.deepEqual(storage.outcomes, ['200 aborted'])
})

test('a body that is refused ends its request at once', async () => {
  const storage = new Storage()
  const settings = { audit: storage.audit }
  await using server = await listening(
    async ({ request }) => respond(200, {}, String(await request.body.read(10))),
    settings,
  )
  await using client = new RawClient(server.port)
  client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n')
  await client.receives(/^HTTP\/1\.1 400 /)
  await client.closed
  assert.equal(storage.recorded, 0)
  assert.deepEqual(storage.outcomes, ['400 sent'])
})

test('over HTTP/2 the stream ends when the event is stored', { skip: opensslMissing }, async () => {
  using authority = new Authority()
  const storage = new Storage()
  const tls = serverTlsOf(authority.issue({ name: 'localhost' }))
  const make = ({ request: { uri } }: Exchange): Response => {
    if (uri.path === '/parts') return inParts(null)
    return uri.path === '/empty' ? respond(302, { Location: '/' }) : respond(200, {}, 'hello')
  }
  await using server = await listening(async (exchange) => make(exchange), { tls, audit: storage.audit })
  await using client = new H2Client(server.port)
  for (const [index, [path, text]] of [
    ['/parts', 'first second'],
    ['/', 'hello'],
    ['/empty', ''],
  ].entries()) {
    let isEnded = false
    const answer = client.ask(path as string).finally(() => {
      isEnded = true
    })
    await waitUntil('the response is to be recorded', () => storage.recorded === index + 1)
    assert.equal(isEnded, false)
    storage.store()
    assert.equal((await within('the stream ended', answer)).text, text)
  }
  await waitUntil('all have ended', () => storage.outcomes.length === 3)
  assert.deepEqual(storage.outcomes, ['200 sent', '200 sent', '302 sent'])
})
