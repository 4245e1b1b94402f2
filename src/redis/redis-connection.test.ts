import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ClientTlsKind, Secret, type SecretStore, SecretStoreKind } from '#contracts'
import type { JsonObject } from '#json'
import { type ConfigError, defineType, kind } from '#schema'
import { type BuildOptions, type Built, build } from '#test/build'
import { Authority, Changing, clientTlsOf, opensslMissing } from '#test/certificates'
import { freePort } from '#test/nginx'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { RedisServer, redisMissing } from '#test/redis'
import { Stopwatch } from '#test/stopwatch'
import { waitUntil } from '#test/waiting'
import { checkRedis, openRedis, REDIS_FIELDS, REDIS_RULES, type RedisConnection, RedisScript } from './index.ts'
import { topologyOf } from './redis-addresses.ts'
import { redisClient } from './redis-client.ts'

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

const logged = (built: Built<unknown>, pattern: RegExp) => built.log.lines.filter((line) => pattern.test(line)).length

const responds = async (built: Built<RedisConnection>) => (await built.object.call('PING').catch(() => null)) === 'PONG'

async function problemsOf(config: JsonObject): Promise<string[]> {
  try {
    await using _built = await open(config)
    return []
  } catch (error) {
    return (error as ConfigError).problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  }
}

const ECHO = new RedisScript("redis.call('SET', KEYS[1], ARGV[1]) return {1, 'x'}")

test('commands and scripts, with the prefix before keys', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: `${server.url}/3`, timeout: '2 s' })
  const redis = built.object
  assert.equal(await redis.call('SET', 'a', 'b'), 'OK')
  assert.equal(await redis.call('GET', 'a'), 'b')
  assert.equal(await redis.call('GET', 'none'), null)
  assert.deepEqual(await redis.run(ECHO, ['k'], ['v']), [1, 'x'])
  assert.deepEqual(await redis.run(ECHO, ['k'], ['w']), [1, 'x'])
  assert.equal(await redis.call('GET', 'k'), 'w')
  await using other = await open({ url: `${server.url}/3`, keyPrefix: '', timeout: '2 s' })
  assert.equal(await other.object.call('GET', 'gateway:k'), 'w')
  await using elsewhere = await open({ url: server.url, timeout: '2 s' })
  assert.equal(await elsewhere.object.call('GET', 'k'), null)
})

test('the error of a command that Redis rejects does not contain its arguments', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '2 s' })
  await assert.rejects(built.object.call('SET', 'key', 'secret', 'NONSENSE'), (error: Error) => {
    assert.equal((error as Error & { reason: string }).reason, 'refused')
    assert.doesNotMatch(JSON.stringify({ ...error, message: error.message, stack: error.stack }), /secret/)
    return true
  })
})

test('without a server the route loads, commands fail at once, and one warning is logged', async () => {
  const port = await freePort()
  await using built = await open({ url: `redis://127.0.0.1:${port}` })
  using time = new Stopwatch()
  for (let i = 0; i < 100; i++)
    await assert.rejects(built.object.call('PING'), { code: 'GW_REDIS', reason: 'unavailable' })
  assert.ok(time.elapsed < 1_000)
  assert.equal(logged(built, /Redis unavailable/), 1)
  assert.deepEqual(built.states, ['degraded: Redis is unavailable'])
})

test('reconnects to a restarted server; loss and recovery are logged once each', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '1 s' })
  assert.equal(await built.object.call('PING'), 'PONG')
  await server.kill()
  await waitUntil('Redis did not respond', async () => (await built.object.call('PING').catch(() => null)) === null)
  const { readings, values } = built.metrics
  const measured = () => [readings.get('gw_redis_unavailable')?.read(), values.get('gw_redis_losses_total')]
  assert.deepEqual(measured(), [1, 1])
  await server.restart()
  await waitUntil('Redis responded', () => responds(built))
  assert.deepEqual(measured(), [0, 1])
  // The restarted server has no scripts; they are sent again.
  assert.deepEqual(await built.object.run(ECHO, ['k'], ['v']), [1, 'x'])
  assert.equal(logged(built, /Redis unavailable/), 1)
  assert.equal(logged(built, /Redis available again/), 1)
})

test('a read-only replica is one outage until it is a primary again, and reads are still sent', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '2 s' })
  const redis = built.object
  const { readings, values } = built.metrics
  const measured = () => [readings.get('gw_redis_unavailable')?.read(), values.get('gw_redis_losses_total')]
  const reads = async () => (await redis.call('GET', 'k').catch(() => null)) === 'v'
  await redis.run(ECHO, ['k'], ['v'])
  await server.ask('CONFIG', 'SET', 'replica-serve-stale-data', 'yes')
  await server.ask('REPLICAOF', '127.0.0.1', '1')
  await assert.rejects(redis.run(ECHO, ['k'], ['w']), { code: 'GW_REDIS', reason: 'refused' })
  // It is connected again, and responds: neither ends the outage.
  await waitUntil('the replica was read', reads)
  for (let n = 0; n < 20; n++) {
    await assert.rejects(redis.run(ECHO, ['k'], ['w']), { code: 'GW_REDIS' })
    await waitUntil('the replica was read', reads)
  }
  assert.deepEqual(measured(), [1, 1])
  assert.equal(built.states.at(-1), 'degraded: Redis is unavailable')
  assert.equal(logged(built, /"problem":"READONLY.*Redis unavailable/), 1)
  assert.equal(logged(built, /Redis available again/), 0)
  await server.ask('REPLICAOF', 'NO', 'ONE')
  await waitUntil('the outage ended', async () => (await reads()) && measured()[0] === 0)
  assert.equal(logged(built, /Redis available again/), 1)
  assert.deepEqual(await redis.run(ECHO, ['k'], ['v']), [1, 'x'])
  assert.deepEqual(measured(), [0, 1])
})

test('a command that Redis rejects is logged with the reason, once for each code', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '2 s' })
  await built.object.call('SET', 'list', 'secret')
  await server.ask('CONFIG', 'SET', 'maxmemory', '1')
  for (let i = 0; i < 5; i++) {
    await assert.rejects(built.object.call('SET', 'key', 'secret'), { reason: 'refused' })
    assert.equal(await built.object.call('GET', 'list'), 'secret')
  }
  await assert.rejects(built.object.call('LLEN', 'list'), { reason: 'refused' })
  assert.equal(logged(built, /"problem":"OOM .*Redis rejects a command/), 1)
  assert.equal(logged(built, /"problem":"WRONGTYPE .*"keyPrefix":"gateway:".*Redis rejects a command/), 1)
  assert.equal(logged(built, /secret/), 0)
})

test('a password that Redis demands after a lost connection is named in the log', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '2 s' })
  await waitUntil('Redis responded', () => responds(built))
  await server.ask('CONFIG', 'SET', 'requirepass', 'changed')
  await server.ask('-a', 'changed', 'CLIENT', 'KILL', 'TYPE', 'normal')
  await waitUntil('the reason was logged', () => logged(built, /"problem":"NOAUTH .*connecting to Redis failed/) > 0)
  assert.equal(logged(built, /Redis unavailable/), 1)
})

test('unresponsive server: no command waits longer than timeout, and after three timeouts commands fail at once', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '100 ms' })
  await waitUntil('Redis responded', () => responds(built))
  server.freeze()
  for (let i = 0; i < 3; i++) await assert.rejects(built.object.call('PING'), { reason: 'timeout' })
  using time = new Stopwatch()
  for (let i = 0; i < 100; i++) await assert.rejects(built.object.call('PING'), { reason: 'unavailable' })
  assert.ok(time.elapsed < 500)
  assert.equal(logged(built, /Redis unavailable/), 1)
  server.thaw()
  await waitUntil('Redis responded', () => responds(built))
  assert.equal(logged(built, /Redis available again/), 1)
})

/** Blocks the event loop. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('a reply that arrived during an event-loop stall is accepted, however late it is read', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '50 ms' })
  await waitUntil('Redis responded', () => responds(built))
  for (let round = 0; round < 10; round++) {
    const answer = built.object.call('PING')
    // Until the command is written.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    spin(150)
    assert.equal(await answer, 'PONG')
  }
})

test('an event-loop stall before the command is written does not count', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '50 ms' })
  await waitUntil('Redis responded', () => responds(built))
  for (let round = 0; round < 10; round++) {
    const answer = built.object.call('PING')
    spin(150)
    assert.equal(await answer, 'PONG')
  }
})

test('the password is read from a secret, and a changed one is used', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start('--requirepass', 'first')
  const secrets = new Changing<PemSecrets>({ 'redis.password': 'first' })
  const surroundings = { types: [pemStoreType(secrets)], heap: [{ name: 'Secrets', type: 'PemStore' }] }
  const config = { url: server.url, passwordSecretId: 'redis.password', secretsProvider: 'Secrets', timeout: '2 s' }
  await using built = await open(config, surroundings)
  assert.equal(await built.object.call('PING'), 'PONG')
  await built.object.call('CONFIG', 'SET', 'requirepass', 'second')
  secrets.set({ 'redis.password': 'second' })
  await waitUntil('Redis responded', () => responds(built))
  await using wrong = await open({ ...config, username: 'unknown' }, surroundings)
  await assert.rejects(wrong.object.call('PING'), { reason: 'unavailable' })
  assert.equal(logged(wrong, /WRONGPASS/), 1)
  assert.equal(logged(wrong, /second/), 0)
})

test('commands are answered while the client is replaced, also one that is in flight', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start('--requirepass', 'first')
  const secrets = new Changing<PemSecrets>({ 'redis.password': 'first' })
  const surroundings = { types: [pemStoreType(secrets)], heap: [{ name: 'Secrets', type: 'PemStore' }] }
  const config = { url: server.url, passwordSecretId: 'redis.password', secretsProvider: 'Secrets', timeout: '1 s' }
  await using built = await open(config, surroundings)
  const redis = built.object
  const first = await redis.call('CLIENT', 'ID')
  const inFlight = redis.call('BLPOP', 'none', '0.5')
  secrets.set({ 'redis.password': 'first' })
  let commands = 0
  await waitUntil('the client was replaced', async () => ++commands > 0 && (await redis.call('CLIENT', 'ID')) !== first)
  assert.ok(commands > 1, 'the old client was used until the new one was connected')
  assert.equal(await inFlight, null)
  const clients = async () => (await server.ask('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n').length
  await waitUntil('the old client was closed', async () => (await clients()) === 2)
  assert.deepEqual(built.states, [])
})

test('a wrong new password ends no connection that works; it is used once Redis accepts it', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start('--requirepass', 'first')
  const secrets = new Changing<PemSecrets>({ 'redis.password': 'first' })
  const surroundings = { types: [pemStoreType(secrets)], heap: [{ name: 'Secrets', type: 'PemStore' }] }
  const config = { url: server.url, passwordSecretId: 'redis.password', secretsProvider: 'Secrets', timeout: '2 s' }
  await using built = await open(config, surroundings)
  const first = await built.object.call('CLIENT', 'ID')
  const kept = /"problem":"WRONGPASS .*new credentials for Redis can not be used/
  secrets.set({ 'redis.password': 'second' })
  await waitUntil('the old connection is kept', () => logged(built, kept) === 1)
  assert.equal(await built.object.call('CLIENT', 'ID'), first)
  assert.match(built.states.at(-1) ?? '', /^degraded: Redis is available/)
  await server.ask('-a', 'first', 'CONFIG', 'SET', 'requirepass', 'second')
  await waitUntil('it was replaced', async () => (await built.object.call('CLIENT', 'ID')) !== first)
  assert.match(built.states.at(-1) ?? '', /^up/)
  assert.equal(logged(built, /the new credentials for Redis are used/), 1)
  secrets.set({ 'redis.password': 'third' })
  await waitUntil('the old connection is kept', () => logged(built, kept) === 2)
  await server.ask('-a', 'second', 'CLIENT', 'KILL', 'TYPE', 'normal')
  await waitUntil('Redis is lost', () => logged(built, /"problem":"WRONGPASS .*connecting to Redis failed/) === 1)
  assert.equal(await responds(built), false, 'no connection is made with the old password')
  secrets.set({ 'redis.password': 'second' })
  await waitUntil('Redis responded', () => responds(built))
  assert.match(built.states.at(-1) ?? '', /^up/)
})

test('a new client is not connected after the connection was closed', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using built = await open({ url: server.url, timeout: '2 s' })
  const late = redisClient({
    topology: topologyOf({ url: server.url }),
    credentials: { username: null, password: null },
    sentinelCredentials: { username: null, password: null },
    tls: null,
    keyPrefix: '',
  })
  built.object.close()
  await built.object.replace(late, 5_000)
  assert.notEqual(late.status, 'ready')
  // The server notices the closed connection later; the remaining client is redis-cli itself.
  const clients = async () => (await server.ask('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n').length
  await waitUntil('the connection was closed', async () => (await clients()) === 1)
  late.disconnect()
})

test('of two changes of the password the later one is used, also where it is read first', {
  skip: redisMissing,
}, async () => {
  await using server = await RedisServer.start('--requirepass', 'right')
  const changes = new Changing(null)
  const reads: Promise<string>[] = []
  const SlowStore = defineType({
    name: 'SlowStore',
    kind: SecretStoreKind,
    summary: 'A store that takes its time.',
    config: {},
    create: (): SecretStore => ({
      find: async ({ secretId }) => [
        new Secret({ secretId, bytes: Buffer.from((await reads.shift()) ?? 'right', 'utf8') }),
      ],
      onChange: changes.onChange,
    }),
  })
  const surroundings = { types: [SlowStore], heap: [{ name: 'Secrets', type: 'SlowStore' }] }
  const config = { url: server.url, passwordSecretId: 'redis.password', secretsProvider: 'Secrets', timeout: '2 s' }
  await using built = await open(config, surroundings)
  const first = Promise.withResolvers<string>()
  reads.push(first.promise)
  changes.set(null)
  changes.set(null)
  await delay(50)
  first.resolve('wrong')
  await waitUntil('the wrong password was logged', () => logged(built, /WRONGPASS/) === 1)
  await waitUntil('Redis responded', () => responds(built))
})

test('TLS with the trust manager and identities of the configuration', {
  skip: redisMissing || opensslMissing,
}, async () => {
  using authority = new Authority()
  const { keyFile, certificateFile } = authority.issue({ name: 'localhost', altNames: 'IP:127.0.0.1' })
  await using server = await RedisServer.start(
    ...['--tls-port', '{port}', '--tls-auth-clients', 'no', '--tls-ca-cert-file', authority.certificateFile],
    ...['--tls-cert-file', certificateFile, '--tls-key-file', keyFile],
  )
  const Tls = defineType({
    name: 'TestTls',
    kind: ClientTlsKind,
    summary: 'TLS of a test.',
    config: {},
    create: () => clientTlsOf(authority, { alpn: false }),
  })
  const surroundings = { types: [Tls], heap: [{ name: 'Tls', type: 'TestTls' }] }
  const url = server.url.replace('redis:', 'rediss:')
  await using built = await open({ url, tls: 'Tls', timeout: '2 s' }, surroundings)
  assert.equal(await built.object.call('PING'), 'PONG')
  await using distrusting = await open({ url, timeout: '2 s' }, surroundings)
  await assert.rejects(distrusting.object.call('PING'), { reason: 'unavailable' })
})

test('the primary is found by sentinels', { skip: redisMissing }, async () => {
  await using server = await RedisServer.start()
  await using sentinel = await RedisServer.startSentinel(`sentinel monitor shop 127.0.0.1 ${server.port} 1`)
  await using built = await open({ url: [sentinel.url], sentinelName: 'shop', timeout: '2 s' })
  assert.equal(await built.object.call('SET', 'a', 'b'), 'OK')
})

const at = '/heap/0/config'
const REFUSALS: [string, JsonObject, string][] = [
  [
    'no address',
    {},
    `${at}/url: expected a URL (redis://, rediss://), or an array of URL (redis://, rediss://); this field is required`,
  ],
  ['another scheme', { url: 'http://a' }, `${at}/url: expected a URL (redis://, rediss://), got "http://a"`],
  ['an empty list', { url: [] }, `${at}/url: expected at least one address`],
  [
    'credentials in the address',
    { url: 'redis://a:b@c' },
    `${at}/url: expected no name and password in the URL; use username and passwordSecretId`,
  ],
  ['no host', { url: 'redis:///1' }, `${at}/url: expected a host in the URL, such as redis://redis.example.com:6379`],
  ['a query', { url: 'redis://a?b' }, `${at}/url: expected no query and no fragment in the URL`],
  ['a path', { url: 'redis://a/b' }, `${at}/url: expected the number of a database as the path, got "/b"`],
  ['a database of a cluster', { url: ['redis://a/1'] }, `${at}/url/0: expected no database: a cluster has one only`],
  [
    'two schemes',
    { url: ['redis://a', 'rediss://b'] },
    `${at}/url/1: expected the same scheme in all addresses: redis, or rediss`,
  ],
  ['a name alone', { url: 'redis://a', username: 'b' }, `${at}: username needs passwordSecretId`],
  [
    'a name at sentinels alone',
    { url: 'redis://a', sentinelName: 'b', sentinelUsername: 'c' },
    `${at}: sentinelUsername needs sentinelPasswordSecretId`,
  ],
  [
    'a password of sentinels without any',
    { url: 'redis://a', sentinelPasswordSecretId: 'b' },
    `${at}: sentinelPasswordSecretId needs sentinelName`,
  ],
  [
    'a time of zero',
    { url: 'redis://a', timeout: '0 s' },
    `${at}/timeout: expected a duration of more than zero, got "0 s"`,
  ],
  [
    'a long time',
    { url: 'redis://a', timeout: '1 minute' },
    `${at}/timeout: expected a duration of at most 10 seconds, got "1 minute"`,
  ],
]

for (const [what, config, problem] of REFUSALS) {
  test(`refused: ${what}`, async () => assert.deepEqual(await problemsOf(config), [problem]))
}
