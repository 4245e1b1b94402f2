// F20: on SIGTERM the gateway finishes in-flight requests and accepts no new ones.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import { RawClient } from '#test/listening'
import { httpUpstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'

/** An upstream whose responses to /slow begin at once and end when the test resolves them. */
async function slowUpstream() {
  const end = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let waiting = 0
  const upstream = await httpUpstream(async (request, response) => {
    if (!request.url?.startsWith('/slow')) return void response.end('quick')
    if (request.url === '/slow-body') response.write('begin ')
    if (++waiting === 4) arrived.resolve()
    await end.promise
    response.end('end')
  })
  return { ...upstream, url: upstream.url, end: end.resolve, fourWait: arrived.promise }
}

const proxying = (url: string) => ({ all: { baseURI: url, handler: 'ReverseProxyHandler' } })

test('F20: on SIGTERM readiness is 503 at once, running requests complete, keep-alive is closed, the exit is 0', async () => {
  await using upstream = await slowUpstream()
  await using gateway = await GatewayProcess.start({ units: 2, routes: proxying(upstream.url) })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  assert.equal((await gateway.ask('/quick', { agent })).headers.connection, 'keep-alive')
  const slow = [
    gateway.ask('/slow', { agent }),
    ...['/slow', '/slow-body', '/slow-body'].map((path) =>
      gateway.ask(path, { headers: { Connection: 'keep-alive' } }),
    ),
  ]
  await upstream.fourWait
  await using idle = new RawClient(gateway.port)
  idle.send('GET /quick HTTP/1.1\r\nHost: x\r\n\r\n')
  await idle.receives(/quick/)

  gateway.kill('SIGTERM')
  await gateway.log.until(/"signal":"SIGTERM"/)
  const ready = await gateway.askAdmin('/health/ready?verbose')
  assert.equal(ready.status, 503)
  assert.match(ready.text, /shutting down/)
  assert.equal((await gateway.askAdmin('/health/live')).status, 200)
  await idle.closed
  // A unit drains at its next turn, and accepts what is in its queue until then.
  await waitUntil('new connections are refused', () =>
    gateway
      .ask('/quick')
      .then(
        ({ text }) => assert.equal(text, 'quick'),
        (error: { code?: string }) => error.code === 'ECONNREFUSED',
      )
      .then((isRefused) => isRefused === true),
  )

  upstream.end()
  const answers = await Promise.all(slow)
  assert.deepEqual(
    answers.map(({ status, text }) => `${status} ${text}`),
    ['200 end', '200 end', '200 begin end', '200 begin end'],
  )
  assert.deepEqual([answers[0]?.headers.connection, answers[1]?.headers.connection], ['close', 'close'])
  assert.deepEqual(await gateway.exit, { code: 0, signal: null })
  assert.equal((await gateway.log.until(/"message":"stopped"/))['aborted'], 0)
  agent.destroy()
})

test('F20: requests in flight at the end of the grace period are aborted and counted, and the exit is 0', async () => {
  await using upstream = await slowUpstream()
  await using gateway = await GatewayProcess.start({
    routes: proxying(upstream.url),
    connector: { gracePeriod: '300 ms' },
  })
  const slow = Promise.allSettled(Array.from({ length: 4 }, () => gateway.ask('/slow')))
  await upstream.fourWait
  gateway.kill('SIGTERM')
  assert.deepEqual(await gateway.exit, { code: 0, signal: null })
  assert.deepEqual(
    (await slow).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected', 'rejected'],
  )
  assert.equal((await gateway.log.until(/"message":"stopped"/))['aborted'], 4)
  upstream.end()
})

test('F20: a second SIGTERM ends at once with exit code 2', async () => {
  await using upstream = await slowUpstream()
  await using gateway = await GatewayProcess.start({ routes: proxying(upstream.url) })
  const slow = Promise.allSettled(Array.from({ length: 4 }, () => gateway.ask('/slow')))
  await upstream.fourWait
  gateway.kill('SIGTERM')
  await gateway.log.until(/"signal":"SIGTERM"/)
  gateway.kill('SIGTERM')
  assert.deepEqual(await gateway.exit, { code: 2, signal: null })
  upstream.end()
  await slow
})

test('SIGHUP scans the routes; SIGINT stops like SIGTERM', async () => {
  await using upstream = await slowUpstream()
  await using gateway = await GatewayProcess.start({
    files: { 'config/config.json': { handler: { name: 'r', type: 'Router', config: { scanInterval: 'disabled' } } } },
  })
  gateway.instance.writeRoute('all', proxying(upstream.url).all)
  assert.equal((await gateway.ask('/quick')).status, 404)
  gateway.kill('SIGHUP')
  await gateway.log.until(/route loaded/)
  assert.equal((await gateway.ask('/quick')).text, 'quick')
  gateway.kill('SIGINT')
  assert.deepEqual(await gateway.exit, { code: 0, signal: null })
})

test('SIGHUP does not end a gateway that starts', async () => {
  const instance = new TestInstance({})
  const settings = join(instance.directory, 'config', 'admin.json')
  const content = readFileSync(settings)
  rmSync(settings)
  // The start waits for the content of the pipe.
  execFileSync('mkfifo', [settings])
  await using gateway = new GatewayProcess({ instance })
  const pipe = await within('the gateway read admin.json', open(settings, 'w'))
  gateway.kill('SIGHUP')
  instance.write('config/admin.json', content)
  await pipe.writeFile(content)
  await pipe.close()
  await gateway.log.until(/the gateway is ready/)
  gateway.kill('SIGTERM')
  assert.deepEqual(await gateway.exit, { code: 0, signal: null })
})

test('a config.json with a mistake ends the start with exit code 78 and the position', async () => {
  await using wrong = new GatewayProcess({ files: { 'config/config.json': '{\n  "handler": "missing"\n}' } })
  await using broken = new GatewayProcess({ files: { 'config/config.json': '{\n  "handler": \n}' } })
  await using list = new GatewayProcess({ files: { 'config/config.json': '[]' } })
  assert.deepEqual(await wrong.exit, { code: 78, signal: null })
  assert.match(wrong.errors, /config\.json:2:\d+: \/handler: no Handler named "missing"/)
  assert.deepEqual(await broken.exit, { code: 78, signal: null })
  assert.match(broken.errors, /config\.json:3:1: /)
  assert.deepEqual(await list.exit, { code: 78, signal: null })
  assert.match(list.errors, /config\.json: expected a JSON object/)
})
