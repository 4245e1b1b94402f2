// Raw messages of a public corpus: a request is parsed as strictly as RFC 9112 allows, or refused.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Exchange, effectiveUri, respond } from '#http'
import { converse, listening, RawClient } from '#test/listening'
import { once } from '#test/waiting'

const corpora = new URL('../../../shared/corpora/http1/', import.meta.url)
const deadline = 10_000
const atOnce = 64

interface Reading {
  readonly method: string
  readonly target: string
  /** Null while the body is not complete. */
  readonly body: string | null
}

const field = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

/** Parses requests strictly by RFC 9112 (Node parses RTSP as HTTP/1.0); stops at the first ambiguity. */
function strictly(bytes: string): Reading[] {
  const readings: Reading[] = []
  for (let rest = bytes; ; ) {
    // RFC 9112 section 2.2: empty lines before a request are ignored.
    rest = rest.replace(/^(?:\r\n)+/, '')
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return readings
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const [, method, target] = /^([A-Z-]+) ([!-~]+) (?:HTTP\/1\.[01]|RTSP\/1\.0)$/.exec(line) ?? []
    if (method === undefined || target === undefined || !fields.every((each) => field.test(each))) return readings
    const values = (name: string) =>
      fields
        .filter((each) => each.slice(0, each.indexOf(':')).toLowerCase() === name)
        .map((each) => each.slice(name.length + 1).trim())
    const lengths = values('content-length')
    const codings = values('transfer-encoding')
    if (lengths.length + codings.length > 1 || values('host').length !== 1) return readings
    const after = rest.slice(end + 4)
    const content = codings.length > 0 ? chunkedContent(codings[0]!, after) : sizedContent(lengths[0] ?? '0', after)
    if (content === null) return readings
    readings.push({ method, target, body: content.body })
    if (content.body === null) return readings
    rest = content.rest
  }
}

function sizedContent(length: string, bytes: string): { body: string | null; rest: string } | null {
  if (!/^\d+$/.test(length)) return null
  const size = Number(length)
  return bytes.length < size ? { body: null, rest: '' } : { body: bytes.slice(0, size), rest: bytes.slice(size) }
}

function chunkedContent(coding: string, bytes: string): { body: string | null; rest: string } | null {
  if (coding.toLowerCase() !== 'chunked') return null
  const incomplete = { body: null, rest: '' }
  let body = ''
  for (let rest = bytes; ; ) {
    const [head, hex] = /^([0-9A-Fa-f]+)(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n/.exec(rest) ?? []
    if (head === undefined) return incomplete
    const size = Number.parseInt(hex!, 16)
    rest = rest.slice(head.length)
    if (size === 0) {
      const trailers = /^(?:[^\r\n]+\r\n)*\r\n/.exec(rest)?.[0]
      return trailers === undefined ? incomplete : { body, rest: rest.slice(trailers.length) }
    }
    if (rest.length < size + 2 || rest.slice(size, size + 2) !== '\r\n') return incomplete
    body += rest.slice(0, size)
    rest = rest.slice(size + 2)
  }
}

interface Seen {
  readonly heads: string[]
  readonly bodies: string[]
  changed: () => void
}

/** Records the requests of the handler by client port. */
class RequestRecorder {
  readonly #seen = new Map<number, Seen>()
  dispatched = 0

  /** Starts recording for a client port; ports are reused. */
  watch(port: number): Seen {
    const seen = { heads: [], bodies: [], changed: () => {} }
    this.#seen.set(port, seen)
    return seen
  }

  readonly handler = async ({ request, client }: Exchange) => {
    if (request.uri.path === '/sentinel') return respond(200)
    const seen = this.#seen.get(client.remotePort)!
    this.dispatched++
    assert.ok(request.body.length !== null || !request.headers.has('content-length'), 'both framings were handed on')
    seen.heads.push(`${request.method} ${request.uri.requestTarget}`)
    const bytes = await request.body.read(1_000_000)
    seen.bodies.push(Buffer.from(bytes).toString('latin1'))
    seen.changed()
    return respond(200, {}, 'ok')
  }
}

/** Sends one message; returns the problem of its outcome, or null. */
async function play(port: number, recorder: RequestRecorder, bytes: string): Promise<string | null> {
  const expected = strictly(bytes)
  const whole = expected.filter(({ body }) => body !== null)
  await using client = new RawClient(port)
  await once(client.socket, 'connect')
  const seen = recorder.watch(client.socket.localPort!)
  const answered = new Promise<void>((resolve) => {
    seen.changed = () => seen.bodies.length >= whole.length && resolve()
    if (whole.length === 0) resolve()
  })
  client.send(bytes)
  if (await late(Promise.race([answered, client.closed]))) return 'no answer in time'
  // Another round trip: any further request in the bytes has been parsed by then.
  await converse(port, 'GET /sentinel HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n')
  client.socket.end()
  if (await late(client.closed)) return 'the connection does not end'
  return compare(seen, expected)
}

async function late(event: Promise<unknown>): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>()
  const handle = setTimeout(timer.resolve, deadline, true)
  const result = await Promise.race([event.then(() => false), timer.promise])
  clearTimeout(handle)
  return result
}

function compare({ heads, bodies }: Seen, expected: readonly Reading[]): string | null {
  if (heads.length > expected.length)
    return `dispatched ${heads.join(', ')}, of which only ${expected.length} can be meant`
  for (const [i, head] of heads.entries()) {
    const { method, target, body } = expected[i]!
    const meant = effectiveUri(target, ['gw.test'], 'http', method)
    const sameHost = 'problem' in meant ? effectiveUri(target, ['example.com'], 'http', method) : meant
    if ('problem' in sameHost || head !== `${method} ${sameHost.uri.requestTarget}`)
      return `dispatched ${head} for ${method} ${target}`
    if (bodies[i] !== undefined && bodies[i] !== body) return `the body was read as ${JSON.stringify(bodies[i])}`
  }
  return null
}

async function playAll(
  messages: readonly { name: string; bytes: string }[],
): Promise<{ problems: string[]; dispatched: number }> {
  const recorder = new RequestRecorder()
  await using server = await listening(recorder.handler, { idleTimeout: 5000, headersTimeout: 5000 })
  const problems: string[] = []
  const queue = messages.values()
  const worker = async () => {
    for (const { name, bytes } of queue) {
      const problem = await play(server.port, recorder, bytes)
      if (problem !== null) problems.push(`${name}: ${problem}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const alive = await converse(server.port, 'GET /sentinel HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n')
  assert.match(alive, /^HTTP\/1\.1 200 /)
  assert.equal(server.listener.stats.active, 0)
  return { problems, dispatched: recorder.dispatched }
}

function corpus(name: string): { skip: string } | { skip: false; entries: Record<string, string>[] } {
  const file = new URL(name, corpora)
  if (!existsSync(file)) return { skip: `shared/corpora/http1/${name} does not stand beside the checkout` }
  return { skip: false, entries: JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>[] }
}

const decode = (base64: string) => Buffer.from(base64, 'base64').toString('latin1')

const payloads = corpus('smuggler_payloads.json')
test('smuggling payloads are parsed strictly or refused (B22)', { skip: payloads.skip }, async () => {
  if (payloads.skip !== false) return
  const messages = payloads.entries.map(({ name, kind, raw_b64: raw }) => ({
    name: `${name} ${kind}`,
    bytes: decode(raw!).replaceAll('__HOST__', 'gw.test'),
  }))
  const { problems } = await playAll(messages)

  assert.equal(problems.length, 0, problems.slice(0, 20).join('\n'))
})

const requests = corpus('llhttp_requests.json')
test('messages of the parser suite are parsed strictly or refused', { skip: requests.skip }, async () => {
  if (requests.skip !== false) return
  const messages = requests.entries.flatMap(({ id, raw_b64: raw }) => {
    const bytes = decode(raw!)
    // Most of them lack Host and would be refused for that alone.
    const hosted = /^host\s*:/im.test(bytes) ? bytes : bytes.replace(/HTTP\/1\.[01]\r\n/g, '$&Host: gw.test\r\n')
    return [
      { name: id!, bytes },
      { name: `${id} with Host`, bytes: hosted },
    ]
  })
  const { problems, dispatched } = await playAll(messages)

  assert.equal(problems.length, 0, problems.slice(0, 20).join('\n'))
  assert.ok(dispatched > 50, `only ${dispatched} were handed on: the suite does not reach the handler`)
})

test('a body that looks like a request is not parsed as one, a pipelined request is', async () => {
  const inner = 'GET /inner HTTP/1.1\r\nHost: gw.test\r\n\r\n'
  const { problems } = await playAll([
    {
      name: 'sized',
      bytes: `POST /a HTTP/1.1\r\nHost: gw.test\r\nContent-Length: ${inner.length}\r\n\r\n${inner}${inner}`,
    },
    {
      name: 'chunked',
      bytes: `POST /a HTTP/1.1\r\nHost: gw.test\r\nTransfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n${inner}`,
    },
  ])

  assert.deepEqual(problems, [])
})
