// `gateway run --take-over`: another process takes the place of a running gateway, under load.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { WebSocket as WsClient } from 'ws'
import { parseSetCookie } from '#http'
import type { JsonObject } from '#json'
import { accessTrail } from '#test/audited-gateway'
import { pathRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { GATEWAY_COMMAND } from '#test/installation'
import { TestInstance } from '#test/instance'
import { Load } from '#test/load'
import { NotifySocket, notifyMissing } from '#test/notify-socket'
import { COUNTER } from '#test/session-visitors'
import { httpUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'

const skip = process.platform === 'linux' ? false : 'ports can be shared between processes on Linux'
const options = { timeout: 180_000, skip }
const words = ['--take-over']
const SOCKET = join('tmp', 'take-over.sock')

/** A Router with an audit service that chains the lines of its files. */
const AUDITED = {
  handler: '_router',
  heap: [
    { name: '_router', type: 'Router' },
    {
      name: 'keys',
      type: 'FileSystemSecretStore',
      config: { format: 'PLAIN', directory: '&{gateway.instance.dir}/secrets' },
    },
    {
      name: 'AuditService',
      type: 'AuditService',
      config: {
        eventHandlers: [
          {
            class: 'JsonAuditEventHandler',
            config: {
              name: 'file',
              topics: ['access'],
              logDirectory: 'trail',
              security: { enabled: true, secretId: 'audit.key', secretsProvider: 'keys' },
            },
          },
        ],
      },
    },
  ],
}

test('a process takes over under load, with sessions and audit files', options, async (t) => {
  const gate = Promise.withResolvers<void>()
  await using upstream = await httpUpstream(async (request, response) => {
    if (request.url === '/proxied/slow') await gate.promise
    response.end('upstream')
  })
  await using echo = await webSocketUpstream()
  await using first = await GatewayProcess.start({
    words,
    units: 2,
    files: { 'config/config.json': AUDITED, 'secrets/audit.key': '6b'.repeat(32) },
    connector: { gracePeriod: '4 seconds' },
    routes: {
      proxied: {
        condition: "${find(request.uri.path, '^/proxied')}",
        baseURI: upstream.url,
        handler: { type: 'ReverseProxyHandler', config: { soTimeout: '1 minute' } },
      },
      echo: {
        condition: "${find(request.uri.path, '^/echo')}",
        baseURI: echo.url,
        handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
      },
      text: pathRoute('/text', 'a text'),
      counter: COUNTER,
    },
  })
  const { instance, port, adminPort } = first
  await first.log.until(/nothing to take over/)
  assert.equal(statSync(join(instance.directory, SOCKET)).mode & 0o777, 0o600)
  const { name, value } = parseSetCookie(String((await first.ask('/counter')).headers['set-cookie']))
  const headers = { Cookie: `${name}=${value}` }
  const client = new WsClient(`ws://127.0.0.1:${port}/echo`)
  await once(client, 'open')
  // One that can not start changes nothing.
  instance.write('config/config.json', { handler: 'missing' })
  await using broken = new GatewayProcess({ instance, words })
  assert.deepEqual(await broken.exit, { code: 78, signal: null })
  assert.match(broken.errors, /no Handler named "missing"/)
  await first.log.until(/this one keeps serving/)
  instance.write('config/config.json', AUDITED)
  const admin = JSON.parse(readFileSync(join(instance.directory, 'config/admin.json'), 'utf8')) as JsonObject
  instance.write('config/admin.json', { ...admin, connectors: [{ port: 1, host: '127.0.0.1' }] })
  await using elsewhere = new GatewayProcess({ instance, words })
  assert.deepEqual(await elsewhere.exit, { code: 1, signal: null })
  assert.match(
    elsewhere.errors,
    /the connectors of admin\.json are http 127\.0\.0\.1:1, those of the gateway that runs/,
  )
  instance.write('config/admin.json', admin)

  const targets = [
    { path: '/proxied/x', expected: '^200 - upstream$' },
    { path: '/text', expected: '^200 - a text$' },
  ]
  const url = `http://127.0.0.1:${port}`
  await using keepAlive = new Load({ url, connections: 3, targets })
  await using connecting = new Load({ url, connections: 2, reconnects: true, targets })
  const slow = first.ask('/proxied/slow')
  await using second = await GatewayProcess.start({ instance, words })
  assert.deepEqual([second.port, second.adminPort], [port, adminPort])
  const closed = once(client, 'close')
  client.send('still here')
  assert.equal(String((await once(client, 'message'))[0]), 'still here')
  assert.equal((await second.ask('/counter', { headers })).text, 'count 2')
  gate.resolve()
  assert.equal((await slow).text, 'upstream')
  assert.equal((await closed)[0], 1001)
  assert.deepEqual(await first.exit, { code: 0, signal: null })
  assert.equal((await first.log.until(/"message":"stopped"/))['aborted'], 0)
  const results = [await keepAlive.stop(), await connecting.stop()]
  t.diagnostic(results.map(({ requests }) => requests).join(' and '))
  for (const { wrong, wrongCount } of results) assert.deepEqual([wrongCount, wrong], [0, []])
  assert.equal((await second.askAdmin('/health/ready')).status, 200)
  const sent = results.reduce((sum, { requests }) => sum + requests, 4)
  // Other lines of the trail are records of the chain.
  const ids = () => accessTrail(instance).flatMap(({ _id: id }) => (typeof id === 'string' ? [id] : []))
  await waitUntil('all events are in the trail', () => ids().length >= sent)
  assert.deepEqual([ids().length, new Set(ids()).size], [sent, sent])
  second.kill('SIGTERM')
  assert.deepEqual(await second.exit, { code: 0, signal: null })
  const { directory } = instance
  const verify = ['audit', 'verify', '--instance', directory, join(directory, 'trail')]
  const { status, stdout, stderr } = spawnSync(GATEWAY_COMMAND, verify, { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

test('systemd is notified of the new main process', { ...options, skip: skip || notifyMissing }, async () => {
  const instance = new TestInstance({ routes: { text: pathRoute('/text', 'a text') } })
  await using socket = await NotifySocket.open(join(instance.directory, 'notify'))
  const env = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '60000000' }
  await using old = await GatewayProcess.start({ instance, env })
  await using next = await GatewayProcess.start({ instance, words })
  assert.equal((await old.exit).code, 0)
  await waitUntil('it is ready', () => socket.messages.filter((message) => message.startsWith('READY=1')).length === 2)
  const states = socket.messages.map((message) => message.split(' ')[0]).filter((state) => state !== 'BARRIER=1')
  assert.deepEqual(states.toSorted(), [`MAINPID=${next.pid}`, `MAINPID=${next.pid}`, 'READY=1', 'READY=1'])
})
