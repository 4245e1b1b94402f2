// Raw messages of a public corpus, end to end: responses of an application as the client gets them, and requests of
// a client as the application gets them. Only a strict reading may pass, or nothing.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { RawClient } from '#test/listening'
import { readRequests, readResponses, valuesOf } from '#test/strict-http'
import { startProxy } from '#test/test-proxy'
import { rawUpstream, silentUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'

const corpora = new URL('../../../shared/corpora/http1/', import.meta.url)
// Longer than any request takes on a busy machine: only a hang reaches it.
const DEADLINE = 20_000
const SO_TIMEOUT = 400
const AT_ONCE = 32

function corpus(name: string): { skip: string } | { skip: false; entries: Record<string, string>[] } {
  const file = new URL(name, corpora)
  if (!existsSync(file)) return { skip: `shared/corpora/http1/${name} does not stand beside the checkout` }
  return { skip: false, entries: JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>[] }
}

const decode = (base64: string) => Buffer.from(base64, 'base64').toString('latin1')

async function inTime<T>(event: Promise<T>): Promise<T | 'late'> {
  const timer = Promise.withResolvers<'late'>()
  const handle = setTimeout(timer.resolve, DEADLINE, 'late')
  const result = await Promise.race([event, timer.promise])
  clearTimeout(handle)
  return result
}

async function inTurns<T>(list: readonly T[], play: (each: T) => Promise<void>): Promise<void> {
  const queue = list.values()
  const worker = async () => {
    for (const each of queue) await play(each)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

interface Played {
  readonly name: string
  readonly bytes: string
  readonly method: string
  /** Whether the application closes the connection after the bytes. */
  readonly closes: boolean
}

/**
 * Malformed heads that the transport accepts as HTTP/1.1. Each has one possible reading, and what the
 * client gets of it is well-formed: empty lines before a head, a head of ICE, RTSP or HTTP/0.9, a CR for the CRLF.
 */
function tidied(bytes: string): string {
  return bytes
    .replace(/(^|\r\n\r\n)(?:\r\n)+(?=HTTP\/)/g, '$1')
    .replace(/^(?:ICE\/1\.1|RTSP\/1\.1|HTTP\/0\.9) /, 'HTTP/1.1 ')
    .replace(/^([^\r\n]*)\r\r/, '$1\r\n')
}

const IS_INTERIM = /^\S+ 1/

/** The error in the response to the client for these bytes, or null. */
function judge({ bytes, method, closes }: Played, received: string, ended: 'end' | 'reset'): string | null {
  const { messages, rest } = readResponses(received, method, ended === 'end')
  const [answer, ...more] = messages.filter(({ line }) => !IS_INTERIM.test(line))
  if (answer === undefined)
    return received === '' || (messages.length > 0 && rest === '') ? null : `not readable: ${JSON.stringify(received)}`
  if (more.length > 0) return `more than one response: ${JSON.stringify(received)}`
  const status = Number(answer.line.slice(9, 12))
  if (status === 502 || status === 504) return answer.body === null || rest !== '' ? 'half an error' : null
  const meant = readResponses(tidied(bytes), method, closes).messages.find(({ line }) => !IS_INTERIM.test(line))
  if (meant === undefined) return `answered with ${JSON.stringify(received)}`
  if (answer.line.slice(9, 12) !== meant.line.slice(9, 12)) return `expected ${meant.line}, got ${answer.line}`
  for (const [field, value] of meant.fields) {
    if (
      /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade|content-length|date|te|trailer)$/.test(field)
    )
      continue
    if (!valuesOf(answer, field).includes(value)) return `lost ${field}: ${value}`
  }
  if (meant.body === null)
    return answer.body === null ? null : `the broken body came out whole: ${JSON.stringify(received)}`
  return answer.body === meant.body ? null : `expected ${JSON.stringify(meant.body)}, got ${JSON.stringify(received)}`
}

const responses = corpus('llhttp_responses.json')
test('B28, B29: responses of the parser suite reach the client strictly parsed, as 502, or truncated', {
  skip: responses.skip,
}, async (t) => {
  if (responses.skip !== false) return
  const played: Played[] = responses.entries.flatMap(({ id, raw_b64: raw }) =>
    ['GET', 'HEAD'].flatMap((method) =>
      [true, false].map((closes) => ({ name: `${id} ${method} ${closes}`, bytes: decode(raw!), method, closes })),
    ),
  )
  await using upstream = await rawUpstream((socket, head) => {
    const { bytes, closes } = played[Number(/ \/(\d+) /.exec(head)?.[1])]!
    if (closes) socket.end(bytes, 'latin1')
    else socket.write(bytes, 'latin1')
  })
  await using proxy = await startProxy(upstream.url, { client: { soTimeout: SO_TIMEOUT, connections: AT_ONCE } })
  const problems: string[] = []
  const outcomes = new Map<string, number>()
  await inTurns([...played.entries()], async ([at, each]) => {
    await using client = new RawClient(proxy.port)
    client.send(`${each.method} /${at} HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n`)
    const ended = await inTime(client.closed)
    const problem = ended === 'late' ? 'no end in time' : judge(each, client.text, ended)
    const kind = client.text.slice(9, 12)
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
    if (problem !== null) problems.push(`${each.name}: ${JSON.stringify(each.bytes.slice(0, 300))}: ${problem}`)
  })
  t.diagnostic(JSON.stringify(Object.fromEntries(outcomes)))
  assert.deepEqual(problems, [])
  assert.ok((outcomes.get('200') ?? 0) > 60, 'hardly any response passes: the suite does not reach the client')
  await waitUntil('no request was active', () => proxy.listener.stats.active === 0)
})

const payloads = corpus('smuggler_payloads.json')
test('B22, B23, B26: no smuggling payload makes the gateway send anything but whole, plain requests', {
  skip: payloads.skip,
}, async (t) => {
  if (payloads.skip !== false) return
  const received: string[] = []
  await using upstream = await silentUpstream((socket) => {
    const at = received.push('') - 1
    let answered = 0
    socket.on('data', (chunk: Buffer) => {
      received[at] += chunk.toString('latin1')
      const whole = readRequests(received[at] as string).messages.filter(({ body }) => body !== null).length
      for (; answered < whole; answered++) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  await using gateway = await RunningGateway.start({
    routes: { all: { baseURI: upstream.url, handler: 'ReverseProxyHandler' } },
  })
  const late: string[] = []
  let answers = 0
  await inTurns(payloads.entries, async ({ name, kind, raw_b64: raw }) => {
    await using client = new RawClient(gateway.port)
    await once(client.socket, 'connect')
    client.send(decode(raw!).replaceAll('__HOST__', 'gw.test'))
    if ((await inTime(Promise.race([client.closed, client.receives(/^HTTP\/1\.1 /)]))) === 'late')
      late.push(`${name} ${kind}`)
    else if (client.text.startsWith('HTTP/1.1 200')) answers++
    // An incomplete request may wait for the rest: its connection must close when the client ends it.
    client.socket.end()
    if ((await inTime(client.closed)) === 'late') late.push(`${name} ${kind}: does not end`)
  })
  await gateway[Symbol.asyncDispose]()
  t.diagnostic(
    `${payloads.entries.length} payloads, ${answers} answered with 200, ${received.length} connections to the application`,
  )
  const bodies = new Map<string, number>()
  for (const bytes of received) {
    const { messages, rest } = readRequests(bytes)
    // An incomplete request can only be the last of its connection, without a response.
    const broken = messages.findIndex(({ body }) => body === null)
    assert.ok(broken < 0 || broken === messages.length - 1)
    if (broken < 0) assert.equal(rest, '', 'bytes that are no request')
    for (const message of messages) {
      assert.match(message.line, /^(GET|POST) \/\S* HTTP\/1\.1$/)
      assert.equal(valuesOf(message, 'host').length, 1)
      for (const [field, value] of message.fields) {
        if (!/transfer|encoding|content.?length/i.test(field)) continue
        bodies.set(`${field}: ${value}`, (bodies.get(`${field}: ${value}`) ?? 0) + 1)
      }
    }
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(bodies)))
  assert.deepEqual(late, [])
})
