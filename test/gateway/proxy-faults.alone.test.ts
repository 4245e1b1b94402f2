// An application with every kind of fault, and clients that disconnect: each response is complete or truncated, and
// no connection, timer or request is left afterwards.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sendRequest } from '#test/send-request'
import { startProxy } from '#test/test-proxy'
import { httpUpstream } from '#test/upstream'
import { once } from '#test/waiting'

const REQUESTS = 4_000
const WARM_UP = 2_500
const AT_ONCE = 32
const CONNECTIONS = 256
/** For requests whose application hangs; the time-out of all others is longer than a busy machine needs. */
const SO_TIMEOUT = 1_000
const NEVER = 200_000
const SEED = 20_260_101
const PATIENCE = { timeout: 30_000 }
/** A port without a listener; a port that was just closed could be reused by another process. */
const UNREACHABLE = 'http://127.0.0.1:1'

interface Fault {
  /** How often, relative to the others. */
  readonly weight: number
  readonly hangs?: true
  /** Possible outcomes: a status with the kind of body, or a truncated response. */
  readonly expected: RegExp
  /** The behaviour of the application after it has read the request. */
  readonly play?: (request: IncomingMessage, response: ServerResponse) => void
}

const raw = (bytes: string) => (request: IncomingMessage) => void request.socket.end(bytes)
const open = (bytes: string) => (request: IncomingMessage) => void request.socket.write(bytes)

const FAULTS: Readonly<Record<string, Fault>> = {
  good: { weight: 40, expected: /^200 right$/ },
  chunked: { weight: 10, expected: /^200 right$/ },
  refused: { weight: 5, expected: /^502$/ },
  silent: { weight: 1, hangs: true, expected: /^504$/, play: () => {} },
  'half-a-head': { weight: 1, hangs: true, expected: /^504$/, play: open('HTTP/1.1 200 OK\r\nContent-') },
  stalled: {
    weight: 1,
    hangs: true,
    // On a busy machine the head may time out too.
    expected: /^(504|cut)$/,
    play: open('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'),
  },
  reset: { weight: 5, expected: /^502$/, play: (request) => void request.socket.resetAndDestroy() },
  closed: { weight: 5, expected: /^502$/, play: raw('') },
  'closed-in-head': { weight: 3, expected: /^502$/, play: raw('HTTP/1.1 200 OK\r\nContent-Type: te') },
  'closed-in-body': { weight: 3, expected: /^cut$/, play: raw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello') },
  'reset-in-body': {
    weight: 3,
    expected: /^(502|cut)$/,
    play: ({ socket }) =>
      void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', () => socket.resetAndDestroy()),
  },
  garbage: { weight: 3, expected: /^502$/, play: raw('\x16\x03\x01\x00\x02\x02\x28 nonsense\r\n\r\n') },
  'large-head': { weight: 1, expected: /^502$/, play: raw(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`) },
  'two-lengths': {
    weight: 3,
    expected: /^502$/,
    play: raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'),
  },
  'cut-chunk': {
    weight: 3,
    expected: /^cut$/,
    play: raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel'),
  },
  'no-last-chunk': {
    weight: 3,
    expected: /^cut$/,
    play: raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'),
  },
  'bad-chunk': {
    weight: 3,
    expected: /^(502|cut)$/,
    play: raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n\r\n'),
  },
  'two-responses': {
    weight: 2,
    expected: /^200 /,
    play: open('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'),
  },
}

/** The same numbers in each run (the generator of Park and Miller). */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

function application(request: IncomingMessage, response: ServerResponse): void {
  const [, name = ''] = request.url!.split('/')
  const chunks: Buffer[] = []
  request.on('error', () => {})
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const play = FAULTS[name]?.play
    if (play !== undefined) return play(request, response)
    const text = `${request.url} ${Buffer.concat(chunks)}`
    if (name === 'good') response.setHeader('Content-Length', text.length)
    response.write(text.slice(0, 5))
    response.end(text.slice(5))
  })
}

test('F1, F3, F4, F5, F7: 4,000 requests to an application that fails at random leave nothing behind', {
  timeout: 240_000,
}, async (t) => {
  await using upstream = await httpUpstream(application)
  await using patient = await startProxy(upstream.url, {
    client: { connections: CONNECTIONS, soTimeout: NEVER, connectionTimeout: NEVER },
    overrideUrl: ({ request }) => (request.uri.path.startsWith('/refused/') ? UNREACHABLE : null),
  })
  await using impatient = await startProxy(upstream.url, {
    client: { connections: CONNECTIONS, soTimeout: SO_TIMEOUT, connectionTimeout: NEVER },
  })
  const proxies = [patient, impatient]
  const before = { resources: resources(), descriptors: descriptors() }
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const random = seeded(SEED)
  const names = Object.entries(FAULTS).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name))
  const counts = new Map<string, number>()
  const wrong: string[] = []
  let sent = 0

  /** Requests that take soTimeout; no other request waits for them. */
  const hanging: Promise<void>[] = []
  const one = async (number: number): Promise<void> => {
    const name = names[random(names.length)] as string
    const path = `/${name}/${number}`
    const body = random(2) === 0 ? '' : 'b'.repeat(1 + random(3_000))
    const hangs = FAULTS[name]!.hangs === true
    if (random(25) === 0) return vanish((hangs ? impatient : patient).port, path, random(3))
    if (hangs) hanging.push(judge(name, path, body))
    else await judge(name, path, body, agent)
  }
  const judge = async (name: string, path: string, body: string, over?: Agent): Promise<void> => {
    const asking = { method: body === '' ? 'GET' : 'POST', body, ...(over !== undefined && { agent: over }) }
    const { url } = FAULTS[name]!.hangs === true ? impatient : patient
    const outcome = await sendRequest(url + path, asking).then(
      ({ status, text }) => (status === 200 ? `200 ${text === `${path} ${body}` ? 'right' : text}` : String(status)),
      (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? 'cut' : `no answer: ${error.message}`),
    )
    const kind = outcome.split(' ')[0] as string
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (!FAULTS[name]!.expected.test(outcome) || outcome.includes('evil'))
      wrong.push(`${path}: ${outcome.slice(0, 100)}`)
  }
  const worker = async (until: number): Promise<void> => {
    while (sent < until) await one(sent++)
  }
  const load = async (until: number): Promise<void> => {
    await Promise.all(Array.from({ length: AT_ONCE }, () => worker(until)))
    await Promise.all(hanging.splice(0))
  }

  await load(WARM_UP)
  for (const { log } of proxies) log.clear()
  const heapBefore = heapUsed()
  await load(REQUESTS)
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)))
  assert.deepEqual([wrong.length, wrong.slice(0, 10)], [0, []])

  agent.destroy()
  for (const { listener, client, log } of proxies) {
    await t.waitFor(() => assert.deepEqual(listener.stats, { connections: 0, active: 0 }), PATIENCE)
    await t.waitFor(() => {
      for (const { running, pending, queued } of client.stats)
        assert.deepEqual({ running, pending, queued }, { running: 0, pending: 0, queued: 0 })
    }, PATIENCE)
    log.clear()
  }
  const heapAfter = heapUsed()
  t.diagnostic(`heap: ${heapBefore} bytes after ${WARM_UP} requests, ${heapAfter} after ${REQUESTS}`)
  assert.ok(heapAfter < heapBefore + 3 * 2 ** 20, `the heap grew from ${heapBefore} to ${heapAfter} bytes`)
  // Open connections are idle: they are closed with the last user of the client.
  for (const { client } of proxies) {
    const connected = client.stats.reduce((sum, each) => sum + each.connected, 0)
    assert.ok(connected <= CONNECTIONS, `${connected} connections`)
    await client.release()
  }
  await t.waitFor(() => assert.equal(upstream.sockets.size, 0), PATIENCE)
  await t.waitFor(() => assert.ok(descriptors() <= before.descriptors), PATIENCE)
  assert.deepEqual(resources(), before.resources)
})

/** A client that disconnects: in its head, in its body, or when the response begins. */
async function vanish(port: number, path: string, when: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n`
  socket.write(when === 0 ? head : `${head}\r\n${'x'.repeat(when === 1 ? 500 : 1000)}`)
  if (when === 2) await Promise.race([once(socket, 'readable'), closed])
  if (when === 1) socket.resetAndDestroy()
  else socket.destroy()
  await closed
}

/** Connections and timers that keep the process alive. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) {
    if (/^(TCPSocket|TCPConnect|Timeout|Immediate)/.test(name)) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}
