import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import { gateway } from '#test/command-line'
import { pathRoute, RunningGateway } from '#test/gateway'
import { GATEWAY_COMMAND } from '#test/installation'
import { freePort } from '#test/nginx'
import { once, waitUntil, within } from '#test/waiting'
import { LiveMetrics } from './live-metrics.ts'

let running: RunningGateway

before(async () => {
  running = await RunningGateway.start({
    env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
    routes: { hello: pathRoute('/hello', 'hello'), quiet: pathRoute('/quiet', 'quiet') },
  })
})

after(() => running[Symbol.asyncDispose]())

test('--once prints totals, load and routes, those with the most requests first', async () => {
  for (let at = 0; at < 5; at++) await running.ask('/hello')
  const { code, stdout } = await gateway(['top', '--once', '--gateway', running.adminUrl])
  assert.equal(code, 0)
  const [title = '', totals = '', load = '', , headings = '', first = ''] = stdout.split('\n')
  assert.equal(title, `Identity Gateway ${running.adminUrl}`)
  assert.match(totals, /^requests\/s [\d.]+ {2}4xx\/s 0 {2}5xx\/s 0 {2}active 0 {2}p50 \S+ ms {2}p99 \S+ ms$/)
  assert.match(
    load,
    /^cpu \d+ % {2}memory \d+ MiB {2}client connections \d+ {2}upstream connections 0 {2}event loop p99 \S+ ms {2}units 1\/1$/,
  )
  assert.match(headings, /^ROUTE +REQ\/S +4XX\/S +5XX\/S +ACTIVE +P50 MS +P99 MS +REQUESTS$/)
  assert.match(first, /^hello .* 5$/)
})

test('--once --json prints the values of all routes', async () => {
  const { stdout } = await gateway(['top', '--once', '--json', '--gateway', running.adminUrl])
  const { routes, totals, process } = JSON.parse(stdout) as Record<string, Record<string, unknown>>
  assert.deepEqual(
    Object.keys(routes ?? {})
      .filter((route) => route !== 'default')
      .sort(),
    ['hello', 'quiet'],
  )
  assert.equal(typeof totals?.['requestsPerSecond'], 'number')
  assert.equal(typeof process?.['connections'], 'number')
})

test('a gateway that is not there exits with 69', async () => {
  const { code, stderr } = await gateway(['top', '--once', '--gateway', `http://127.0.0.1:${await freePort()}`])
  assert.deepEqual([code, /ECONNREFUSED/.test(stderr)], [69, true])
  assert.equal((await gateway(['top', '-n', '0'])).code, 64)
})

/** A management API whose streams a test ends. */
class MonitorPeer implements AsyncDisposable {
  readonly #server: Server
  readonly streams: ServerResponse[] = []

  constructor(port = 0) {
    this.#server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      this.streams.push(response)
      this.send(response)
    }).listen(port, '127.0.0.1')
  }

  send(response: ServerResponse): void {
    const event = {
      timestamp: new Date(0).toISOString(),
      totals: { requestsPerSecond: 7 },
      routes: { [`route-${this.streams.length}`]: { requestsPerSecond: 7, statuses: { serverError: 1 } } },
    }
    response.write(`: comment\n\ndata: ${JSON.stringify(event)}\n\n`)
  }

  async url(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

test('when the gateway goes away the table says so, and continues when it is back; q ends it', async () => {
  await using peer = new MonitorPeer()
  const keys = new PassThrough()
  const shown = { text: '' }
  const ended = gateway(['top', '--gateway', await peer.url()], {
    terminal: true,
    keys,
    onOutput: (text) => (shown.text = text),
  })
  await waitUntil('the first table', () => /route-1 /.test(shown.text))
  peer.streams[0]?.destroy()
  await waitUntil('the loss is shown', () => /is gone: .*; trying again/.test(shown.text))
  await waitUntil('the second stream', () => /route-2 /.test(shown.text))
  keys.write('q')
  const { code, stdout } = await within('top ended', ended)
  assert.equal(code, 0)
  assert.ok(stdout.startsWith('\u001b[?1049h\u001b[?25l'), 'alternate screen')
  assert.ok(stdout.endsWith('\u001b[?25h\u001b[?1049l'), 'the terminal is restored')
  const last = stdout.slice(stdout.lastIndexOf('\u001b[H')).replaceAll(/\u001b\[[?\d;]*[A-Za-z]/g, '')
  assert.doesNotMatch(last, /route-1 /, 'routes of the stream before are dropped')
})

test('--json prints a line for each event, and reports the loss once', async () => {
  await using peer = new MonitorPeer()
  const shown = { text: '' }
  const ended = gateway(['top', '--json', '--gateway', await peer.url()], { onOutput: (text) => (shown.text = text) })
  await waitUntil('the first event', () => shown.text.split('\n').length === 2)
  peer.streams[0]?.end()
  await waitUntil('the second event', () => shown.text.split('\n').length === 3)
  process.emit('SIGTERM')
  const { code, stdout, stderr } = await within('top ended', ended)
  assert.deepEqual([code, stderr.match(/trying again/g)?.length], [0, 1])
  for (const line of stdout.trim().split('\n')) assert.equal(JSON.parse(line).totals.requestsPerSecond, 7)
})

test('on a real terminal Ctrl-C ends it, and the terminal is restored', {
  skip: process.platform !== 'linux' && 'needs script of util-linux',
}, async () => {
  const command = `stty -echo; ${GATEWAY_COMMAND} top --gateway ${running.adminUrl}; echo "code=$?"; stty -a`
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm' },
  })
  let text = ''
  terminal.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data
  })
  try {
    await waitUntil('the table', () => text.includes('hello'), 30_000)
    terminal.stdin.write('\u0003')
    await once(terminal, 'close')
  } finally {
    terminal.kill('SIGKILL')
  }
  const end = text.slice(text.indexOf('\u001b[?1049l'))
  assert.match(end, /code=0/)
  assert.match(end, / icanon /, 'not in raw mode')
})

test('routes are bounded, and values that are missing are shown as such', () => {
  const metrics = new LiveMetrics()
  metrics.add({ routes: { a: 'no object' }, eventLoop: [null], pools: [{ connections: 2 }, { connections: 'x' }] })
  assert.deepEqual([metrics.routes.length, metrics.eventLoopDelay, metrics.upstreamConnections], [0, null, 2])
})
