import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { type ClientTls, PermitTable } from '#contracts'
import { Body } from '#http'
import type { PermitStore } from '#schema'
import { Authority, clientTlsOf, type Issued, opensslMissing } from '#test/certificates'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { frameUpstream } from '#test/frame-upstream'
import { FRAME, frame, literal } from '#test/h2-frames'
import { rawUpstream, silentUpstream, type Upstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'
import type { Client } from './client.ts'
import type { ClientSettings } from './settings.ts'

const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())

const trusting = (): ClientTls => clientTlsOf(authority!)

const CONNECTIONS = 3
/** More than there are connections: some wait in the queue. */
const REQUESTS = 8

/** Permits of one unit, counted by the test. */
function countedPermits(): { store: PermitStore; free(): number } {
  const memory = new SharedArrayBuffer(PermitTable.bytes(1, CONNECTIONS))
  return {
    store: { open: () => ({ memory, units: 1, unit: 0, release: () => {} }) },
    free: () => {
      const table = new PermitTable(memory, 1, 0)
      let count = 0
      while (table.acquire()) count++
      for (let i = 0; i < count; i++) table.release()
      return count
    },
  }
}

/** Fails where a number of the pool is negative, or larger than its limit. */
function check(client: Client): void {
  for (const { origin: _, ...numbers } of client.stats) {
    const isValid = Object.values(numbers).every((value) => value >= 0) && numbers.connected <= CONNECTIONS
    assert.ok(isValid && numbers.running + numbers.queued <= REQUESTS, JSON.stringify(numbers))
  }
}

type Scenario = readonly [
  what: string,
  upstream: () => Promise<Upstream>,
  options?: {
    readonly method?: 'GET' | 'POST'
    readonly isSecure?: boolean
    readonly settings?: Partial<ClientSettings>
    /** The client of the gateway goes away when this many connections were accepted. */
    readonly abortsAfter?: number
  },
]

const KNOWN = { http2: { overTls: true, inClear: 'prior-knowledge' } } as const
const OVER_TLS = { http2: { overTls: true, inClear: 'off' } } as const
const reset = (socket: Socket) => void socket.resetAndDestroy()
const resetsAtFirstByte = () => silentUpstream((socket) => void socket.once('data', () => reset(socket)))
const silent = () => silentUpstream((socket) => void socket.resume())
const answered = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A server that is closed: its port refuses connections. */
async function refusing(): Promise<Upstream> {
  const upstream = await silentUpstream()
  await upstream[Symbol.asyncDispose]()
  return { ...upstream, accepted: 0, [Symbol.asyncDispose]: async () => {} }
}

/** A TLS server that resets each connection after the handshake, or after the first bytes of a request. */
function secureReset(event: 'secure' | 'data'): Promise<Upstream> {
  return silentUpstream((connection) => {
    const socket = new TLSSocket(connection, { isServer: true, key: issued.key, cert: issued.certificate })
    socket.on('error', () => {})
    socket.once(event, () => reset(connection))
  })
}

const SCENARIOS: readonly Scenario[] = [
  ['a port that refuses connections', refusing],
  ['a port that refuses connections, HTTP/2', refusing, { settings: KNOWN }],
  ['a reset at once', () => silentUpstream(reset)],
  ['a reset at the request', resetsAtFirstByte],
  ['a reset within an upload', resetsAtFirstByte, { method: 'POST' }],
  ['a client that goes away within an upload', silent, { method: 'POST', abortsAfter: CONNECTIONS }],
  ['a client that goes away before the response', silent, { abortsAfter: CONNECTIONS }],
  [
    'a reset within a response',
    () => rawUpstream((socket) => socket.write(answered.slice(0, -1), () => reset(socket))),
  ],
  ['a reset of an idle connection', () => rawUpstream((socket) => socket.write(answered, () => reset(socket)))],
  ['a close of an idle connection', () => rawUpstream((socket) => socket.end(answered))],
  ['bytes that are not HTTP', () => silentUpstream((socket) => void socket.write('garbage\r\n\r\n'))],
  ['no response', silent, { settings: { soTimeout: 50 } }],
  ['a reset in the TLS handshake', resetsAtFirstByte, { isSecure: true }],
  ['a reset in the TLS handshake, ALPN', resetsAtFirstByte, { isSecure: true, settings: OVER_TLS }],
  ['a TLS handshake that stalls', silent, { isSecure: true, settings: { connectionTimeout: 50 } }],
  ['a TLS handshake that stalls, ALPN', silent, { isSecure: true, settings: { ...OVER_TLS, connectionTimeout: 50 } }],
  [
    'a client that goes away in the TLS handshake',
    silent,
    { isSecure: true, abortsAfter: 1, settings: { connectionTimeout: 200 } },
  ],
  [
    'a client that goes away in the TLS handshake, ALPN',
    silent,
    { isSecure: true, abortsAfter: 1, settings: { ...OVER_TLS, connectionTimeout: 200 } },
  ],
  ['a reset after the TLS handshake', () => secureReset('secure'), { isSecure: true }],
  ['a reset at the request over TLS', () => secureReset('data'), { isSecure: true }],
  ['a reset within an upload over TLS', () => secureReset('data'), { isSecure: true, method: 'POST' }],
  ['a reset at the preface of HTTP/2', resetsAtFirstByte, { settings: KNOWN }],
  ['a reset at the request of HTTP/2', () => frameUpstream(reset), { settings: KNOWN }],
  ['a reset within an upload of HTTP/2', () => frameUpstream(reset), { settings: KNOWN, method: 'POST' }],
  ['a client that goes away within an upload of HTTP/2', silent, { settings: KNOWN, method: 'POST', abortsAfter: 1 }],
  [
    'a reset within a response of HTTP/2',
    () =>
      frameUpstream((socket, stream) =>
        socket.write(frame(FRAME.headers, 4, stream, literal({ ':status': '200' })), () => reset(socket)),
      ),
    { settings: KNOWN },
  ],
]

/** A body that never ends. */
function upload(): Body {
  const chunk = Buffer.alloc(65_536)
  return Body.fromSource({ start: (sink) => void sink.write(chunk), resume: () => {}, cancel: () => {} })
}

for (const [what, open, options = {}] of SCENARIOS) {
  const { method = 'GET', isSecure = false, settings = {}, abortsAfter } = options
  test(`the numbers of a pool return to zero, and permits are free: ${what}`, {
    skip: isSecure && opensslMissing,
  }, async () => {
    const permits = countedPermits()
    await using upstream = await open()
    await using client = clientWith({
      connections: CONNECTIONS,
      soTimeout: 10_000,
      idleTime: 20,
      permits: permits.store,
      ...(isSecure ? { tls: trusting() } : {}),
      ...settings,
    })
    const url = isSecure ? upstream.url.replace('http://127.0.0.1', 'https://localhost') : upstream.url
    const exchanges = Array.from({ length: REQUESTS }, () =>
      exchangeFor(method, url, method === 'POST' ? { body: upload() } : {}),
    )
    const calls = exchanges.map((exchange) => send(client, exchange).then(textOf))
    let isOver = false
    const ended = within('all calls ended', Promise.allSettled(calls)).finally(() => {
      isOver = true
    })
    if (abortsAfter !== undefined) {
      await waitUntil('the connections were accepted', () => upstream.accepted >= abortsAfter)
      check(client)
      for (const exchange of exchanges) exchange.abort(new Error('gone'))
    }
    while (!isOver) {
      check(client)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await ended
    check(client)
    for (const socket of upstream.sockets) socket.destroy()
    await waitUntil('connections and requests are counted as closed', () => {
      check(client)
      const [{ connected, running, pending, queued }] = client.stats as [Client['stats'][0]]
      return connected + running + pending + queued === 0
    })
    await waitUntil('all permits are free', () => permits.free() === CONNECTIONS)
  })
}
