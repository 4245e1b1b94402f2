import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ClientTlsKind } from '#contracts'
import type { JsonObject } from '#json'
import { defineType, kind } from '#schema'
import { type BuildOptions, build } from '#test/build'
import { Authority, Changing, clientTlsOf, opensslMissing } from '#test/certificates'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { RedisServer, redisMissing } from '#test/redis'
import { RedisCluster } from '#test/redis-cluster'
import { PRIMARY_NAME } from '#test/redis-sentinels'
import { once, waitUntil } from '#test/waiting'
import { checkRedis, openRedis, REDIS_FIELDS, REDIS_RULES, type RedisConnection, RedisScript } from './index.ts'

const Store = defineType({
  name: 'TestStore',
  kind: kind<RedisConnection>('TestStore'),
  summary: 'A connection of a test.',
  config: REDIS_FIELDS,
  rules: REDIS_RULES,
  check: checkRedis,
  create: openRedis,
})

const open = (config: JsonObject, surroundings?: BuildOptions) => build<RedisConnection>(Store, config, surroundings)

const PUT = new RedisScript("redis.call('SET', KEYS[1], ARGV[1]) return redis.call('TIME')[1]")
const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`)

/** The number of keys that could be written, and the longest time of a write. */
async function written({ object: redis }: { object: RedisConnection }) {
  let longest = 0
  const puts = keys.map(async (key) => {
    const start = performance.now()
    const isDone = await redis.run(PUT, [key], ['x']).then(
      () => true,
      () => false,
    )
    longest = Math.max(longest, performance.now() - start)
    return isDone
  })
  return { count: (await Promise.all(puts)).filter((isDone) => isDone).length, longest }
}

interface Secured {
  readonly passwords: Changing<PemSecrets>
  readonly surroundings: BuildOptions
  readonly config: JsonObject
  /** For servers. */
  readonly args: string[]
  /** For sentinels. */
  readonly lines: string[]
}

/** Certificates for the servers of a test, and a configuration with trust and passwords for them. */
function secured(authority: Authority, secrets: PemSecrets): Secured {
  const passwords = new Changing<PemSecrets>(secrets)
  const { keyFile, certificateFile } = authority.issue({ name: 'redis.example.com', altNames: 'IP:127.0.0.1' })
  const files = { 'ca-cert-file': authority.certificateFile, 'cert-file': certificateFile, 'key-file': keyFile }
  const settings = [
    ['tls-port', '{port}'],
    ['tls-auth-clients', 'no'],
    ['tls-replication', 'yes'],
    ...Object.entries(files).map(([name, file]) => [`tls-${name}`, file]),
  ] as [string, string][]
  const Tls = defineType({
    name: 'TestTls',
    kind: ClientTlsKind,
    summary: 'TLS of a test.',
    config: {},
    create: () => clientTlsOf(authority, { alpn: false }),
  })
  const surroundings: BuildOptions = {
    types: [Tls, pemStoreType(passwords)],
    heap: [
      { name: 'Tls', type: 'TestTls' },
      { name: 'Secrets', type: 'PemStore' },
    ],
  }
  return {
    passwords,
    surroundings,
    config: { tls: 'Tls', secretsProvider: 'Secrets', timeout: '2 s' },
    args: settings.flatMap(([name, value]) => [`--${name}`, value]),
    lines: settings.map(([name, value]) => `${name} ${value}`),
  }
}

const secure = (urls: readonly string[]) => urls.map((url) => url.replace('redis:', 'rediss:'))

/** The commands that a user needs according to the reference page of the store. */
const NEEDED = ['eval', 'evalsha', 'get', 'set', 'time', 'info', 'cluster|info', 'cluster|slots', 'asking']

describe('a cluster with TLS, and a user with minimal permissions', {
  skip: redisMissing || opensslMissing,
}, () => {
  let authority: Authority
  let servers: Secured
  let cluster: RedisCluster
  let config: JsonObject

  before(async () => {
    authority = new Authority()
    servers = secured(authority, { 'redis.password': 'secret', 'redis.other': 'wrong' })
    const user = ['--user', 'gateway', 'on', '>secret', '~gateway:*', ...NEEDED.map((command) => `+${command}`)]
    cluster = await RedisCluster.start({ primaries: 3 }, ...servers.args, '--tls-cluster', 'yes', ...user)
    const url = secure(cluster.urls).slice(0, 2)
    config = { ...servers.config, url, username: 'gateway', passwordSecretId: 'redis.password' }
  })
  after(async () => {
    await cluster[Symbol.asyncDispose]()
    authority[Symbol.dispose]()
  })

  test('all nodes are used, except untrusted ones', async () => {
    await using built = await open(config, servers.surroundings)
    assert.equal((await written(built)).count, keys.length)
    assert.deepEqual(built.states, [])
    const { tls: _trusting, ...distrusting } = config
    await Promise.all([
      refused({ ...config, passwordSecretId: 'redis.other' }, /no node of the cluster answers: (?:WRONGPASS|NOAUTH)/),
      refused(distrusting, /no node of the cluster answers/),
    ])
  })

  test('no command fails while the client is replaced', async () => {
    await using built = await open(config, servers.surroundings)
    await waitUntil('all keys were written', async () => (await written(built)).count === keys.length)
    const connections = async () => {
      const lists = await Promise.all(cluster.primaries.map((each) => each.ask('CLIENT', 'LIST', 'TYPE', 'normal')))
      return new Set(lists.flatMap((list) => list.match(/^id=\d+ addr=\S+(?=.* user=gateway )/gm) ?? []))
    }
    const before = await connections()
    servers.passwords.set({ 'redis.password': 'secret', 'redis.other': 'wrong' })
    await waitUntil('the old connections were closed', async () => {
      assert.equal((await written(built)).count, keys.length)
      return (await connections()).isDisjointFrom(before)
    })
    assert.equal((await written(built)).count, keys.length)
    assert.deepEqual(built.states, [])
  })

  async function refused(access: JsonObject, problem: RegExp): Promise<void> {
    await using built = await open(access, servers.surroundings)
    assert.equal((await written(built)).count, 0)
    assert.match(built.log.lines.join(''), problem)
  }

  test('unresponsive node: no command waits longer than timeout, and other nodes are not affected', async () => {
    await using built = await open({ ...config, timeout: '300 ms' }, servers.surroundings)
    await waitUntil('all keys were written', async () => (await written(built)).count === keys.length)
    const [, silent] = cluster.primaries as [RedisServer, RedisServer]
    silent.freeze()
    await waitUntil(
      'the lost node was reported',
      async () => (await written(built)).count < keys.length && built.states.length > 0,
    )
    const { count, longest } = await written(built)
    assert.ok(count > 0 && count < keys.length, `${count}`)
    assert.ok(longest < 300 + 1_000, `${longest} ms`)
    silent.thaw()
    await waitUntil('all keys were written', async () => (await written(built)).count === keys.length)
    assert.deepEqual(built.states, ['degraded: Redis is unavailable', 'up: Redis is available'])
  })

  test('reconnects automatically after a restart of all nodes', async () => {
    await using built = await open(config, servers.surroundings)
    await waitUntil('all keys were written', async () => (await written(built)).count === keys.length)
    await Promise.all(cluster.nodes.map((node) => node.kill()))
    await waitUntil('no key was written', async () => (await written(built)).count === 0)
    // Long enough for the client to give up all nodes and to start over with the configured addresses.
    await delay(1_200)
    await Promise.all(cluster.nodes.map((node) => node.restart()))
    await waitUntil('all keys were written', async () => (await written(built)).count === keys.length)
    assert.deepEqual(built.states, ['degraded: Redis is unavailable', 'up: Redis is available'])
  })
})

test('sentinels with TLS and separate user and password', { skip: redisMissing || opensslMissing }, async () => {
  using authority = new Authority()
  const passwords = { 'redis.password': 'of the primary', 'sentinel.password': 'sentinels' }
  const { surroundings, config, args, lines } = secured(authority, passwords)
  await using server = await RedisServer.start(...args, '--requirepass', 'of the primary')
  await using sentinel = await RedisServer.startSentinel(
    ...lines,
    `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${server.port} 1`,
    `sentinel auth-pass ${PRIMARY_NAME} "of the primary"`,
    'requirepass of-admins',
    'user gateway on >sentinels +sentinel|get-master-addr-by-name +sentinel|sentinels',
  )
  const access = { ...config, url: secure([sentinel.url]), sentinelName: PRIMARY_NAME }
  const sentinelAccess = { sentinelUsername: 'gateway', sentinelPasswordSecretId: 'sentinel.password' }
  const known = { ...access, ...sentinelAccess, passwordSecretId: 'redis.password' }
  await using built = await open(known, surroundings)
  assert.equal((await written(built)).count, keys.length)
  await using unknown = await open({ ...access, passwordSecretId: 'redis.password' }, surroundings)
  assert.equal((await written(unknown)).count, 0)
  assert.match(unknown.log.lines.join(''), /NOAUTH/)
})

test('the log names what the primary says, and not sentinels that respond', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start('--requirepass', 'right')
  await using sentinel = await RedisServer.startSentinel(
    `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${server.port} 1`,
    `sentinel auth-pass ${PRIMARY_NAME} right`,
  )
  await using built = await open({ url: [sentinel.url], sentinelName: PRIMARY_NAME, timeout: '1 s' })
  const rejections = async () => {
    const stats = await server.ask('-a', 'right', 'INFO', 'errorstats')
    return Number(/NOAUTH:count=(\d+)/.exec(stats)?.[1] ?? 0)
  }
  await waitUntil('several connections were rejected', async () => (await rejections()) > 3)
  assert.match(built.log.lines.join(''), /"problem":"NOAUTH/)
  assert.doesNotMatch(built.log.lines.join(''), /sentinel/i)
})

test('an unresponsive sentinel is skipped', { skip: redisMissing }, async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  await using server = await RedisServer.start()
  await using sentinel = await RedisServer.startSentinel(`sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${server.port} 1`)
  const url = [`redis://127.0.0.1:${port}`, sentinel.url]
  await using built = await open({ url, sentinelName: PRIMARY_NAME, timeout: '1 s' })
  await waitUntil('all keys were written', async () => (await written(built)).count === keys.length)
  silent.close()
})
