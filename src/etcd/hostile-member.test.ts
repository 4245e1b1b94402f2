import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { etcdClient } from '#test/etcd'
import { ofKind, put, watching, write } from '#test/etcd-requests'
import { TcpPeer } from '#test/tcp-peer'
import { waitUntil } from '#test/waiting'
import type { EtcdSettings } from './index.ts'

const HEADER = '"header":{"cluster_id":"1","member_id":"2","revision":"5"}'
const CREATED = `{"result":{${HEADER},"created":true}}\n`

/** A response with a length. */
function sized(body: string, status = '200 OK', type = 'application/json'): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** The head of a response whose body ends with the connection. */
const STREAM = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n'

/** Writes until the peer has gone. */
function flood(socket: Socket, piece: string): void {
  const more = (): void => {
    while (socket.writable && socket.write(piece)) {}
  }
  socket.on('drain', more)
  more()
}

async function dripped(socket: Socket, text: string): Promise<void> {
  for (const byte of Buffer.from(text)) {
    if (!socket.writable) return
    socket.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Answers each request, whose bytes come in one or more pieces, once. */
function answering(respond: (socket: Socket, request: string) => unknown) {
  return (socket: Socket): void => {
    let text = ''
    socket.on('data', (data) => {
      text += data
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      const head = text.indexOf('\r\n\r\n')
      if (head < 0 || text.length < head + 4 + Number(length)) return
      const request = text
      text = ''
      respond(socket, request)
    })
  }
}

const TIMES: Partial<EtcdSettings> = { callTimeout: 10_000, connectTimeout: 10_000 }
/** For members that do not answer. */
const SHORT: Partial<EtcdSettings> = { callTimeout: 1_500, connectTimeout: 1_500 }

function clientOf(peers: readonly TcpPeer[], settings: Partial<EtcdSettings> = {}) {
  return etcdClient(
    peers.map(({ port }) => `http://127.0.0.1:${port}`),
    { ...TIMES, ...settings },
  )
}

const range = (members: string) => `{${HEADER},${members}}`

/** Responses to a read, each of which is a failure of the endpoint. */
const UNUSABLE: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ['closes', (socket) => socket.end()],
  ['resets', (socket) => socket.resetAndDestroy()],
  ['is silent', () => {}],
  ['stalls in the head', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-')],
  ['stalls in the body', (socket) => socket.write(sized(range('"kvs":[]')).slice(0, -4))],
  ['sends another protocol', (socket) => socket.write('220 mail ESMTP\r\n')],
  ['sends a page', (socket) => socket.write(sized('<html>login</html>', '200 OK', 'text/html'))],
  [
    'redirects',
    (socket) => socket.write('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
  ],
  ['has no such path', (socket) => socket.write(sized('Not Found\n', '404 Not Found', 'text/plain'))],
  ['fails', (socket) => socket.write(sized('oops', '500 Internal Server Error', 'text/plain'))],
  ['answers without content', (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n')],
  ['sends a list', (socket) => socket.write(sized('[]'))],
  ['sends no header', (socket) => socket.write(sized('{}'))],
  ['sends deep JSON', (socket) => socket.write(sized(`{"kvs":${'['.repeat(100_000)}${']'.repeat(100_000)}}`))],
  [
    'sends bytes that are not UTF-8',
    (socket) =>
      socket.write(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'), Buffer.from([0x7b, 0xff, 0x7d])]),
      ),
  ],
  ['sends a huge revision', (socket) => socket.write(sized('{"header":{"revision":"99999999999999999999"}}'))],
  ['sends an endless number', (socket) => socket.write(sized(`{"header":{"revision":${'9'.repeat(100_000)}}}`))],
  ['sends a fraction', (socket) => socket.write(sized('{"header":{"revision":1.5}}'))],
  ['sends a negative revision', (socket) => socket.write(sized('{"header":{"revision":"-1"}}'))],
  ['sends a text for a list', (socket) => socket.write(sized(range('"kvs":"none"')))],
  ['sends a number for an item', (socket) => socket.write(sized(range('"kvs":[7]')))],
  [
    'sends a value that is not base64',
    (socket) => socket.write(sized(range('"kvs":[{"key":"YQ==","value":"\\u0000"}]'))),
  ],
  ['sends an item without key', (socket) => socket.write(sized(range('"kvs":[{"value":"YQ=="}]')))],
]

const GOOD = answering((socket) =>
  socket.write(sized(range('"kvs":[{"key":"YQ==","value":"Yg==","mod_revision":"4"}]'))),
)

// Many of them only wait.
describe('an endpoint that is not usable', { concurrency: true }, () => {
  for (const [behaviour, respond] of UNUSABLE) {
    test(`a read goes to the next endpoint where one ${behaviour}; a write does not where it may have been applied`, async () => {
      await using bad = await TcpPeer.start(answering(respond))
      await using good = await TcpPeer.start(GOOD)
      await using client = clientOf([bad, good], SHORT)
      assert.equal((await client.get('a')).item?.value.toString(), 'b')
      await using alone = clientOf([bad], SHORT)
      await assert.rejects(alone.get('a'), ofKind('unavailable', /127\.0\.0\.1/))
      // As responses to a transaction these say that its conditions did not hold.
      if (/for a list|for an item|not base64|without key/.test(behaviour)) return
      const isRefusal = /path|redirects/.test(behaviour)
      await assert.rejects(write(alone, put('a', 'x')), ofKind(isRefusal ? 'unavailable' : 'unknown-outcome'))
    })
  }
})

test('a read is sent to the next endpoint too where one is silent, long before its time-out', async () => {
  await using silent = await TcpPeer.start()
  await using good = await TcpPeer.start(GOOD)
  await using client = clientOf([silent, good], { callTimeout: 25_000 })
  const begin = performance.now()
  assert.equal((await client.get('a')).item?.value.toString(), 'b')
  assert.ok(performance.now() - begin < 20_000)
  // The one that answered is asked first.
  const asked = silent.received.length
  assert.equal((await client.get('a')).item?.value.toString(), 'b')
  assert.equal(silent.received.length, asked)
})

test('a write is sent to the next endpoint where one refuses connections or has no leader', async () => {
  const refusing = await TcpPeer.start()
  await refusing[Symbol.asyncDispose]()
  const noLeader = sized(
    '{"error":"etcdserver: no leader","message":"etcdserver: no leader","code":14}',
    '503 Service Unavailable',
  )
  await using leaderless = await TcpPeer.start(answering((socket) => socket.write(noLeader)))
  await using good = await TcpPeer.start(
    answering((socket) => socket.write(sized(`{${HEADER},"succeeded":true,"responses":[{"response_put":{}}]}`))),
  )
  await using client = clientOf([refusing, leaderless, good])
  assert.equal((await write(client, put('a', 'x'))).succeeded, true)
  await write(client, put('a', 'y'))
  // The endpoint that answered is used from then on.
  assert.equal(leaderless.text.match(/POST \/v3\/kv\/txn/g)?.length, 1)
  assert.match(leaderless.text, /grpc-metadata-hasleader: true/i)
})

test('errors of etcd 3.4, 3.5 and 3.6 have the same meaning', async () => {
  const message = 'etcdserver: request timed out, possibly due to previous leader failure'
  const bodies = [
    { error: message, message, code: 14 },
    { error: message, code: 14, message, details: [] },
    { code: 14, message, details: [] },
    { error: { grpc_code: 14, http_code: 503, message, http_status: 'Service Unavailable' } },
    { error: { code: 14, message } },
  ]
  for (const body of bodies) {
    await using peer = await TcpPeer.start(
      answering((socket) => socket.write(sized(JSON.stringify(body), '503 Service Unavailable'))),
    )
    await using client = clientOf([peer])
    await assert.rejects(client.get('a'), ofKind('unavailable', /previous leader failure/))
    await assert.rejects(write(client, put('a', 'x')), ofKind('unknown-outcome', /previous leader failure/))
  }
})

test('a response one byte at a time is read; one beyond the limit is not stored', async () => {
  await using slow = await TcpPeer.start(answering((socket) => dripped(socket, sized(range('"kvs":[]')))))
  await using client = clientOf([slow], { callTimeout: 5_000 })
  assert.equal((await client.get('a')).revision, 5n)
  await using endless = await TcpPeer.start(
    answering((socket) => {
      socket.write(`${STREAM}{${HEADER},"kvs":["`)
      flood(socket, 'A'.repeat(65_536))
    }),
  )
  await using second = clientOf([endless], { callTimeout: 10_000 })
  await assert.rejects(second.get('a'), ofKind('too-large'))
  await assert.rejects(write(second, put('a', '')), ofKind('unknown-outcome'))
})

test('a response after the deadline is not taken for that of the next request', async () => {
  let requests = 0
  const { promise: late, resolve: sendLate } = Promise.withResolvers<void>()
  await using peer = await TcpPeer.start(
    answering(async (socket) => {
      const revision = ++requests
      if (revision === 1) await late
      socket.write(sized(`{"header":{"revision":"${revision}"}}`))
    }),
  )
  await using client = clientOf([peer], { callTimeout: 100 })
  await assert.rejects(client.get('a'), ofKind('unavailable', /within 100 ms/))
  sendLate()
  await using patient = clientOf([peer])
  assert.equal((await patient.get('a')).revision, 2n)
})

test('a page that is too large for one response is asked for again with fewer items', async () => {
  const limits: number[] = []
  await using peer = await TcpPeer.start(
    answering((socket, request) => {
      const limit = Number(/"limit":"(\d+)"/.exec(request)?.[1])
      limits.push(limit)
      const value = 'A'.repeat(2_000_000)
      const items = ['YQ==', 'YWE=', 'YWI=', 'YWM=', 'YWQ='].slice(0, limit)
      const kvs = items.map((key) => `{"key":"${key}","value":"${value}"}`).join(',')
      socket.write(sized(range(`"kvs":[${kvs}],"more":true`)))
    }),
  )
  await using client = clientOf([peer], { callTimeout: 10_000 })
  const { items, more } = await client.list('a', { limit: 9 })
  assert.deepEqual([limits, items.length, more], [[9, 4], 4, true])
  assert.equal(items[3]!.value.length, 1_500_000)
})

test('a write that is in flight when the client is closed has an unknown outcome', async () => {
  await using peer = await TcpPeer.start()
  const client = clientOf([peer], { callTimeout: 20_000 })
  const pending = write(client, put('a', ''))
  const outcome = assert.rejects(pending, ofKind('unknown-outcome', /closed/))
  await peer.until(() => peer.text.includes('request_put'))
  await client[Symbol.asyncDispose]()
  await outcome
})

test('pages that do not advance end', async () => {
  const foreign = Buffer.from([0x61, 0xff]).toString('base64')
  await using peer = await TcpPeer.start(
    answering((socket) => socket.write(sized(range(`"kvs":[{"key":"${foreign}"}],"more":true`)))),
  )
  await using client = clientOf([peer])
  await assert.rejects(client.list('a'), ofKind('unavailable', /in their order/))
})

/** Streams of a watch that end it. */
const BROKEN: readonly (readonly [string, RegExp, (socket: Socket) => unknown])[] = [
  ['closes before the watch', /closed/, (socket) => socket.end()],
  ['is silent', /within 1500 ms/, () => {}],
  ['sends no object', /within 1500 ms/, (socket) => socket.write(STREAM)],
  [
    'sends spaces only',
    /within 1500 ms/,
    (socket) => {
      socket.write(STREAM)
      flood(socket, ' '.repeat(1_000))
    },
  ],
  ['closes after the watch', /closed/, (socket) => socket.end(STREAM + CREATED)],
  [
    'resets after the watch',
    /closed|reset/,
    (socket) => socket.write(STREAM + CREATED, () => socket.resetAndDestroy()),
  ],
  ['creates the watch twice', /expected one watch/, (socket) => socket.write(STREAM + CREATED + CREATED)],
  ['sends text', /expected a JSON object/, (socket) => socket.write(`${STREAM}${CREATED}hello`)],
  ['sends invalid JSON', /expected a JSON object/, (socket) => socket.write(`${STREAM}${CREATED}{"result":]}`)],
  ['sends another object', /result: expected an object/, (socket) => socket.write(`${STREAM}{"events":[]}`)],
  [
    'sends an endless object',
    /larger one/,
    (socket) => {
      socket.write(`${STREAM}${CREATED}{"a":"`)
      flood(socket, 'A'.repeat(65_536))
    },
  ],
  [
    'sends a wrong type of event',
    /PUT or DELETE/,
    (socket) =>
      socket.write(`${STREAM}${CREATED}{"result":{${HEADER},"events":[{"type":"DROP","kv":{"key":"YQ=="}}]}}`),
  ],
  [
    'sends an event without key',
    /kv/,
    (socket) => socket.write(`${STREAM}${CREATED}{"result":{${HEADER},"events":[{}]}}`),
  ],
  [
    'sends a huge revision',
    /64-bit/,
    (socket) => socket.write(`${STREAM}${CREATED}{"result":{"header":{"revision":"9223372036854775808"}}}`),
  ],
  [
    'cancels',
    /cancelled the watch/,
    (socket) => socket.write(`${STREAM}${CREATED}{"result":{${HEADER},"canceled":true}}`),
  ],
  [
    'sends an error',
    /no leader/,
    (socket) =>
      socket.write(`${STREAM}${CREATED}{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}}`),
  ],
  [
    'refuses',
    /no leader/,
    (socket) => socket.write(sized('{"code":14,"message":"etcdserver: no leader"}', '503 Service Unavailable')),
  ],
]

describe('a watch that is not usable', { concurrency: true }, () => {
  for (const [behaviour, reason, respond] of BROKEN) {
    test(`a watch of a member that ${behaviour} ends once, and the next one goes to another endpoint`, async () => {
      await using bad = await TcpPeer.start(answering(respond))
      await using good = await TcpPeer.start(answering((socket) => socket.write(STREAM + CREATED)))
      await using client = clientOf([bad, good], SHORT)
      using watch = watching(client, { key: 'a', from: 1n })
      assert.ok(ofKind('unavailable', reason)(await watch.ends()))
      using _next = watching(client, { key: 'a', from: 1n })
      await waitUntil('the other endpoint was asked', () => good.text.includes('/v3/watch'))
    })
  }
})

test('events one byte at a time are delivered, and a flood of them does not block the event loop', async () => {
  const event = (revision: number) =>
    `{"result":{${HEADER},"events":[{"kv":{"key":"YQ==","value":"Yg==","mod_revision":"${revision}"}}]}}`
  await using slow = await TcpPeer.start(
    answering((socket) => dripped(socket, `${STREAM}${CREATED}${event(6)}\r\n \t${event(7)}`)),
  )
  await using client = clientOf([slow], { callTimeout: 5_000 })
  using watch = watching(client, { key: 'a', from: 1n })
  await waitUntil('both changes were delivered', () => watch.all.length === 2)
  assert.equal(watch.revision, 7n)

  await using fast = await TcpPeer.start(
    answering((socket) => {
      socket.write(STREAM + CREATED)
      flood(socket, event(8).repeat(500))
    }),
  )
  await using flooded = clientOf([fast])
  let count = 0
  const many = flooded.watch({ key: 'a', from: 1n }, { events: () => count++, progress: () => {}, ended: () => {} })
  let turns = 0
  await waitUntil('many changes were delivered', () => {
    turns++
    return count > 20_000
  })
  many[Symbol.dispose]()
  assert.ok(turns > 5, `${turns} turns`)
})

test('a watch that misses a change of its key ends, although its connection is open', async () => {
  await using peer = await TcpPeer.start(
    answering((socket, request) =>
      socket.write(
        request.includes('/v3/watch') ? STREAM + CREATED : sized(range('"kvs":[{"key":"YQ==","mod_revision":"4"}]')),
      ),
    ),
  )
  await using client = clientOf([peer], { watchCheckInterval: 10 })
  using current = watching(client, { key: 'a', from: 5n })
  using stale = watching(client, { key: 'a', from: 3n })
  assert.ok(ofKind('unavailable', /no change of revision 4/)(await stale.ends()))
  assert.equal(current.error, null)
})
