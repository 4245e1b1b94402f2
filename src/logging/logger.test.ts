import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { inspect } from 'node:util'
import { Authority, opensslMissing } from '#test/certificates'
import { TcpPeer } from '#test/tcp-peer'
import { once } from '#test/waiting'
import { createLogger, LogEvent, memoryLog } from './index.ts'

const event = (message: string) => new LogEvent('GW_TEST', { message, meaning: '', action: '' })
const index = new URL('./index.ts', import.meta.url).href

test('writes one JSON line with time, level, logger and message', () => {
  const log = memoryLog()
  createLogger({ destination: log }).child({ logger: 'gateway+_router+myroute' }).info({ port: 8080 }, 'listening')

  assert.equal(log.lines.length, 1)
  const { time, ...rest } = log.entries[0]!
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, { level: 'info', logger: 'gateway+_router+myroute', port: 8080, message: 'listening' })
})

test('a child with another name has that name and the fields of its parents', () => {
  const log = memoryLog()
  const parent = createLogger({ destination: log }).child({ logger: 'gateway', unit: 3 })
  parent.child({ logger: 'gateway+_router' }).warn(event('hello'))

  assert.equal(log.lines[0]!.match(/"logger"/g)!.length, 1)
  assert.equal(log.entries[0]!.logger, 'gateway+_router')
  assert.equal(log.entries[0]!['unit'], 3)
})

test('the level is that of the longest prefix of whole name parts', () => {
  const log = memoryLog()
  const levels = { 'gateway+_router': 'debug', 'gateway+_router+quiet': 'error' } as const
  const root = createLogger({ destination: log, level: 'warn', levels })
  for (const logger of ['gateway', 'gateway+_router+a', 'gateway+_router+quiet+b', 'gateway+_routers']) {
    root.child({ logger }).debug('d')
    root.child({ logger }).warn(event('w'))
  }

  assert.deepEqual(
    log.entries.map((entry) => [entry.logger, entry.message]),
    [
      ['gateway', 'w'],
      ['gateway+_router+a', 'd'],
      ['gateway+_router+a', 'w'],
      ['gateway+_routers', 'w'],
    ],
  )
  assert.equal(root.child({ logger: 'gateway+_router' }).level, 'debug')
  assert.equal(root.isEnabled('info'), false)
})

test('never prints credentials of header maps, in any spelling of their names', () => {
  const log = memoryLog()
  const headers = {
    Authorization: 'Bearer s3cret',
    'Set-Cookie': ['a=s3cret', 'b=s3cret'],
    set_cookie: 's3cret',
    'proxy-authorization': 's3cret',
    'X-Auth-Token': 's3cret',
    'X-Api-Key': 's3cret',
    DPoP: 's3cret',
    Accept: '*/*',
  }
  const logger = createLogger({ destination: log })
  logger.info({ headers, client_secret: 's3cret', nested: [{ password: 's3cret' }] }, 'request')
  logger.info({ headers: new Map(Object.entries(headers)) }, 'request')
  logger.child({ token: 's3cret' }).info('bound')

  assert.doesNotMatch(log.lines.join(''), /s3cret/)
  assert.equal((log.entries[1]!['headers'] as Record<string, unknown>)['Accept'], '*/*')
})

test('an object with a redacted toJSON stays redacted', () => {
  class Secret {
    readonly value = 's3cret'
    toJSON() {
      return '[redacted]'
    }
  }
  class Key {
    readonly bytes = 's3cret';
    [inspect.custom]() {
      return '[redacted]'
    }
  }
  const log = memoryLog()
  createLogger({ destination: log }).info({ a: new Secret(), b: new Key(), list: [new Key()] }, 'x')

  const { a, b, list } = log.entries[0]!
  assert.deepEqual({ a, b, list }, { a: '[redacted]', b: '[redacted]', list: ['[redacted]'] })
})

test('a forged value cannot end a line, move the cursor or reorder text (B87)', () => {
  const evil = 'a\r\n{"level":"error"}\u001b[2J\u2028b\u2029c\u0085d\u009be\u202ef\u0000'
  for (const format of ['json', 'pretty'] as const) {
    const log = memoryLog()
    const logger = createLogger({ destination: log, format }).child({ logger: `gateway+${evil}` })
    logger.info({ path: evil, [evil]: evil, list: [evil] }, evil)
    logger.error({ error: Object.assign(new Error(evil), { code: evil }) }, event('failed'))

    assert.equal(log.lines.length, 2)
    for (const line of log.lines) {
      assert.equal(line.at(-1), '\n')
      assert.doesNotMatch(line.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
    }
  }
})

test('values, lists and whole entries are bounded', () => {
  const log = memoryLog()
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 'x'.repeat(9000)]))
  createLogger({ destination: log }).info({ wide, list: Array(1000).fill(1) }, 'm'.repeat(20_000))

  assert.ok(log.lines[0]!.length < 100_000, `the line has ${log.lines[0]!.length} characters`)
  assert.match(log.entries[0]!.message!, /\.\.\.\(11808 more\)$/)
})

test('an error is written with code, message, causes and stack', () => {
  const log = memoryLog()
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  const error = Object.assign(new Error('no answer', { cause }), { code: 'GW_UPSTREAM' })
  createLogger({ destination: log }).error({ error }, event('failed'))
  createLogger({ destination: log }).error(error, event('failed'))

  assert.equal(log.entries.length, 2)
  for (const entry of log.entries) {
    const written = entry['error'] as Record<string, unknown>
    assert.equal(written['code'], 'GW_UPSTREAM')
    assert.equal(written['message'], 'no answer')
    assert.match(written['stack'] as string, /logger\.test\.ts/)
    assert.equal((written['cause'] as Record<string, unknown>)['code'], 'ECONNREFUSED')
  }
})

test('a certificate that is not trusted: the error is written without the advice of Node, which does not apply', {
  skip: opensslMissing,
}, async () => {
  using authority = new Authority()
  const { key, certificate } = authority.issue({ name: 'localhost' })
  await using peer = await TcpPeer.start(undefined, { tls: { key, cert: certificate } })
  const [error] = (await once(connect(peer.port, '127.0.0.1'), 'error')) as [Error]
  assert.match(error.message, /running Node\.js/)
  const log = memoryLog()
  createLogger({ destination: log }).error({ error }, event('failed'))
  assert.match(log.lines[0]!, /"message":"unable to (?:verify|get)[^;"]*"/)
  assert.doesNotMatch(log.lines[0]!, /Node\.js/)
})

test('stacks: always at debug, at error once for each origin, never for warn and info', () => {
  const log = memoryLog()
  const failing = (message: string) => new Error(message)
  const hasStack = () => log.entries.map((entry) => 'stack' in (entry['error'] as object))
  const logger = createLogger({ destination: log })
  logger.warn({ error: failing('a') }, event('failed'))
  for (const message of ['b', 'c']) logger.error({ error: failing(message) }, event('failed'))
  logger.child({ logger: 'other' }).error({ error: failing('d') }, event('failed'))
  assert.deepEqual(hasStack(), [false, true, false, true])
  log.clear()
  const chatty = createLogger({ destination: log, level: 'debug' })
  for (const message of ['a', 'b']) chatty.warn({ error: failing(message) }, event('failed'))
  assert.deepEqual(hasStack(), [true, true])
})

test('limited: the first entry of a message, then one in each interval with the number of suppressed ones', () => {
  const log = memoryLog()
  let now = 0
  const logger = createLogger({ destination: log, now: () => now }).child({ logger: 'route' })
  const written = () => {
    const entries = log.entries.map(({ message, suppressed }) => `${message} ${suppressed ?? '-'}`)
    log.clear()
    return entries
  }
  for (let n = 0; n < 5; n++) logger.limited().warn({ n }, event('no binding'))
  assert.deepEqual(written(), ['no binding -'])
  now += 9_999
  logger.limited().warn(event('no binding'))
  assert.deepEqual(written(), [])
  now += 1
  logger.limited().warn(event('no binding'))
  logger.limited().error(event('no binding'))
  logger.limited().warn(event('another'))
  logger.child({ logger: 'other route' }).limited().warn(event('no binding'))
  logger.child({ request: 7 }).limited().warn(event('no binding'))
  logger.limited().debug('not enabled')
  assert.deepEqual(written(), ['no binding 5', 'no binding -', 'another -', 'no binding -'])
})

test('limited: causes are counted separately, and their number is bounded', () => {
  const log = memoryLog()
  let now = 0
  const logger = createLogger({ destination: log, now: () => now })
  for (let n = 0; n < 1_000; n++) logger.limited(`key ${n % 500}`, 60_000).warn({ n }, event('a login failed'))
  assert.equal(log.lines.length, 16)
  log.clear()
  now += 60_000
  logger.limited('key 499', 60_000).warn(event('a login failed'))
  assert.equal(log.entries[0]?.['suppressed'], 984)
})

test('limited: the first entry of each subject is written beside those of another that fails often', () => {
  const log = memoryLog()
  let now = 0
  const logger = createLogger({ destination: log, now: () => now })
  const written = () => {
    const entries = log.entries.map(({ upstream, suppressed }) => `${upstream} ${suppressed ?? '-'}`)
    log.clear()
    return entries
  }
  const fail = (upstream: string, id: string) =>
    logger.limited(id, 60_000, upstream).warn({ upstream }, event('failed'))
  for (let n = 0; n < 20; n++) fail('a', `a${n}`)
  assert.deepEqual(written(), Array(16).fill('a -'))
  fail('b', 'b0')
  fail('b', 'b1')
  fail('a', 'a20')
  assert.deepEqual(written(), ['b 4'])
  // Clients may choose the server of a handler: the number of subjects is bounded too.
  for (let n = 0; n < 100; n++) fail(`c${n}`, `c${n}`)
  assert.equal(written().length, 14)
  now += 60_000
  fail('b', 'b2')
  assert.deepEqual(written(), ['b 86'])
})

test('a log call never throws, for any value', () => {
  const log = memoryLog()
  const logger = createLogger({ destination: log })
  const loop: Record<string, unknown> = { n: 10n, f: () => 1, d: new Date(0), nan: Number.NaN, u: undefined }
  loop['self'] = loop
  const bad = {
    get x(): never {
      throw new Error('getter')
    },
  }
  const looped = new Error('loop')
  looped.cause = looped
  logger.info({ loop, bad, bytes: new Uint8Array(5), looped }, 'odd')
  logger.info(JSON.parse('{"__proto__": {"polluted": true}, "level": "x", "message": "y"}'), 'odd names')

  assert.equal((log.entries[0]!['loop'] as Record<string, unknown>)['self'], '[circular]')
  assert.equal(log.entries[0]!['bad'], '[unprintable]')
  assert.equal(log.entries[1]!.level, 'info')
  assert.equal(log.entries[1]!['level_'], 'x')
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})

test('the pretty format is coloured only if configured', () => {
  const log = memoryLog()
  createLogger({ destination: log, format: 'pretty' })
    .child({ logger: 'gateway' })
    .warn({ port: 80, why: 'in use' }, event('no port'))
  createLogger({ destination: log, format: 'pretty', colour: 'colour' }).warn(event('no port'))

  assert.match(log.lines[0]!, /^\d\d:\d\d:\d\d\.\d{3} WARN {2}gateway no port code=GW_TEST port=80 why="in use"\n$/)
  assert.ok(log.lines[1]!.includes('\u001b[33mWARN'))
})

test('without a terminal, standard output gets JSON lines, also from a worker thread and just before an exit', () => {
  const script = `
    const { isMainThread, Worker } = require('node:worker_threads')
    import('${index}').then(({ createLogger }) => {
      createLogger().info({ main: isMainThread }, 'hello')
      if (!isMainThread) process.exit(0)
      new Worker(process.argv[1], { eval: true, argv: [process.argv[1]] }).on('exit', () => {
        createLogger().info('leaving')
        process.exit(3)
      })
    })`
  const child = spawnSync(process.execPath, ['-e', script, script], { encoding: 'utf8' })

  assert.equal(child.status, 3, child.stderr)
  const entries = child.stdout.trimEnd().split('\n')
  assert.deepEqual(
    entries.map((line) => {
      const { main, message } = JSON.parse(line)
      return [main, message]
    }),
    [
      [true, 'hello'],
      [false, 'hello'],
      [undefined, 'leaving'],
    ],
  )
})

test('a closed reader does not end the process', () => {
  const script = `
    import('${index}').then(({ createLogger }) => {
      require('node:fs').closeSync(1)
      const logger = createLogger()
      for (let i = 0; i < 10; i++) logger.info('lost')
      setImmediate(() => process.exit(7))
    })`
  assert.equal(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).status, 7)
})
