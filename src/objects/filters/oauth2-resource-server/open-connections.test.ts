import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { type AccessTokenResolver, AccessTokenResolverKind, type TokenResolution } from '#contracts'
import type { Filter } from '#http'
import { defineType } from '#schema'
import { build, manualClock } from '#test/build'
import { ManualExecutor } from '#test/manual-executor'
import { once, within } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'
import { startProxy } from '#test/websocket-proxy'
import { OAuth2ResourceServerFilter } from './oauth2-resource-server-filter.ts'

/** A WebSocket application behind the filter, and a resolver controlled by the test. */
async function protectedApplication(config: { closeOnRevocation?: boolean } = {}, expiresIn: number | null = null) {
  const clock = manualClock()
  const executor = new ManualExecutor()
  const expiresAt = expiresIn === null ? null : clock.now() + expiresIn
  const watchers = new Set<() => void>()
  const state = {
    resolve: (token: string): TokenResolution | Promise<TokenResolution> => ({
      outcome: 'valid',
      accessToken: { token, info: {}, scopes: new Set(), expiresAt },
    }),
  }
  const Resolver = defineType({
    name: 'TestResolver',
    kind: AccessTokenResolverKind,
    summary: 'Says what a test wants.',
    config: {},
    create: (): AccessTokenResolver => ({
      resolve: (token) => state.resolve(token),
      watch(_, revoked) {
        watchers.add(revoked)
        return () => watchers.delete(revoked)
      },
    }),
  })
  const { types, heap } = executor.buildOptions
  const filter = await build<Filter>(
    OAuth2ResourceServerFilter,
    { accessTokenResolver: { type: 'TestResolver' }, scopes: [], requireHttps: false, ...config },
    { clock, types: [...types, Resolver], heap },
  )
  const upstream = await webSocketUpstream()
  const proxy = await startProxy(upstream.url, {}, {}, (handler) => (exchange) => filter.object(exchange, handler))
  return {
    clock,
    executor,
    state,
    watchers,
    upstream,
    async open(): Promise<WebSocket> {
      const socket = new WebSocket(proxy.ws, { headers: { Authorization: 'Bearer good' } })
      await once(socket, 'open')
      return socket
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      await filter[Symbol.asyncDispose]()
    },
  }
}

async function closeOf(socket: WebSocket): Promise<[number, string]> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
  return [code, reason.toString()]
}

async function isAlive(socket: WebSocket): Promise<boolean> {
  socket.send('hello')
  const [data] = (await once(socket, 'message')) as [Buffer]
  return data.toString() === 'hello'
}

test('a connection is closed when its token is revoked, and no longer watched', async () => {
  await using at = await protectedApplication()
  const socket = await at.open()
  assert.ok(await isAlive(socket))
  const closed = closeOf(socket)
  for (const revoked of at.watchers) revoked()
  assert.deepEqual(await closed, [1008, 'the access token was revoked'])
  assert.equal(at.watchers.size, 0)
  assert.equal(at.executor.waiting.length, 0)
})

test('a connection is closed when its token expires', async () => {
  await using at = await protectedApplication({}, 30_000)
  const socket = await at.open()
  const closed = closeOf(socket)
  assert.equal(at.executor.waiting[0]?.delay, 30_000)
  at.clock.advance(30_000)
  await at.executor.next()
  assert.deepEqual(await closed, [1008, 'the access token has expired'])
})

test('the token is resolved again every minute; the connection is closed when it is invalid', async () => {
  await using at = await protectedApplication({}, 90_000)
  const socket = await at.open()
  assert.equal(await at.executor.next(), 60_000)
  assert.ok(await isAlive(socket))
  at.clock.advance(60_000)
  const closed = closeOf(socket)
  at.state.resolve = async () => ({ outcome: 'invalid', description: 'Not any more.' })
  assert.equal(await at.executor.next(), 60_000)
  assert.deepEqual(await closed, [1008, 'the access token is not valid any more'])
  assert.equal(at.executor.waiting.length, 0)
})

test('a connection stays open while the authorization server is unavailable, until its token expires', async () => {
  await using at = await protectedApplication({}, 150_000)
  const socket = await at.open()
  at.state.resolve = () => ({ outcome: 'unavailable', description: 'Later.' })
  assert.equal(await at.executor.next(), 60_000)
  at.clock.advance(60_000)
  at.state.resolve = () => Promise.reject(new Error('broken'))
  await assert.rejects(at.executor.next(), /broken/)
  at.state.resolve = () => ({ outcome: 'bad_request', description: 'What?' })
  at.clock.advance(60_000)
  assert.ok(await isAlive(socket))
  const closed = closeOf(socket)
  assert.equal(await at.executor.next(), 60_000)
  at.clock.advance(30_000)
  assert.equal(await at.executor.next(), 30_000)
  assert.equal((await closed)[0], 1008)
})

test('a closed connection is no longer watched', async () => {
  await using at = await protectedApplication()
  const socket = await at.open()
  const closed = closeOf(socket)
  const ended = Promise.withResolvers<void>()
  const { delete: remove } = at.watchers
  at.watchers.delete = (watcher) => {
    const removed = remove.call(at.watchers, watcher)
    ended.resolve()
    return removed
  }
  socket.close(1000)
  await closed
  await within('the body ended', ended.promise)
  assert.equal(at.watchers.size, 0)
  assert.equal(at.executor.waiting.length, 0)
})

test('closeOnRevocation false: connections may outlive their token', async () => {
  await using at = await protectedApplication({ closeOnRevocation: false }, 1_000)
  const socket = await at.open()
  at.clock.advance(10_000)
  assert.equal(at.watchers.size, 0)
  assert.equal(at.executor.waiting.length, 0)
  assert.ok(await isAlive(socket))
  socket.terminate()
})

test('an upgrade without a valid token is rejected before it reaches the application', async () => {
  await using at = await protectedApplication()
  at.state.resolve = () => ({ outcome: 'invalid', description: 'No.' })
  at.upstream.server.on('connection', () => assert.fail('the application was reached'))
  await assert.rejects(at.open(), /401/)
})
