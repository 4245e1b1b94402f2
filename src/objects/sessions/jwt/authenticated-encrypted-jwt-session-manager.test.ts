import assert from 'node:assert/strict'
import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Secret, type SecretStore, SecretStoreKind, type SessionManager } from '#contracts'
import { parseSetCookie, Response, type Session } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { AuthenticatedEncryptedJwtSessionManager } from './authenticated-encrypted-jwt-session-manager.ts'

const URL = 'http://gateway.example/page'
const NAME = 'gateway-jwt-session'
const aes = (bytes = 32) => createSecretKey(randomBytes(bytes))

/** A store with keys that the test changes; the first is the active one. */
function keyStore(keys: KeyObject[]) {
  return defineType({
    name: 'TestKeys',
    kind: SecretStoreKind,
    summary: 'Keys of a test.',
    config: {},
    create: (): SecretStore => ({
      find: async ({ secretId }) => (secretId === 'session' ? keys.map((key) => new Secret({ secretId, key })) : null),
      onChange: () => () => {},
    }),
  })
}

async function manager(config: Record<string, JsonValue> = {}, keys: KeyObject[] = [aes()]) {
  const clock = manualClock()
  const built = await build<SessionManager>(
    AuthenticatedEncryptedJwtSessionManager,
    { authenticatedEncryptionSecretId: 'session', secretsProvider: { type: 'TestKeys' }, ...config },
    { clock, types: [keyStore(keys)] },
  )
  return {
    clock,
    keys,
    built,
    /** One request: the content of the session before `use`, and the cookies of the response. */
    async visit(cookies: string[], use: (session: Session) => void = () => {}) {
      const exchange = exchangeFor('GET', URL, cookies.length === 0 ? {} : { headers: { Cookie: cookies.join('; ') } })
      const open = await built.object.open(exchange)
      const before = Object.fromEntries([...open.session.keys()].map((key) => [key, open.session.get(key)]))
      use(open.session)
      const response = new Response(200)
      await open.save(response)
      const fields = response.headers.all('set-cookie')
      const pairs = fields.map(parseSetCookie).filter(({ value }) => value !== '')
      return { before, fields, cookies: pairs.map(({ name, value }) => `${name}=${value}`), exchange }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

test('the session is in an encrypted cookie, and is read again', async () => {
  await using sessions = await manager()
  const { cookies, fields } = await sessions.visit([], (session) => session.set('user', { name: 'demo' }))
  assert.match(
    fields[0] as string,
    /^gateway-jwt-session=[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+; Path=\/; SameSite=Lax; HttpOnly$/,
  )
  assert.doesNotMatch(Buffer.from(cookies.join(), 'base64url').toString('latin1'), /demo/)
  const again = await sessions.visit(cookies)
  assert.equal(JSON.stringify(again.before), '{"user":{"name":"demo"}}')
  assert.deepEqual(again.fields, [])
  assert.equal(again.exchange.request.headers.has('cookie'), false)
})

test('the same content is encrypted differently each time', async () => {
  await using sessions = await manager()
  const one = await sessions.visit([], (session) => session.set('a', 1))
  const two = await sessions.visit([], (session) => session.set('a', 1))
  assert.notDeepEqual(one.cookies, two.cookies)
})

test('B43: a cookie changed at any byte gives an empty session', async () => {
  await using sessions = await manager()
  const { cookies } = await sessions.visit([], (session) => session.set('a', 1))
  const [, value = ''] = (cookies[0] as string).split(/=(.*)/s)
  for (let at = 0; at < value.length; at += 1) {
    const other = value[at] === 'A' ? 'B' : 'A'
    const forged = value.slice(0, at) + other + value.slice(at + 1)
    // The last character of a part may have unused bits; the parser rejects them too.
    const { before, fields } = await sessions.visit([`${NAME}=${forged}`])
    assert.deepEqual([before, fields], [{}, []], `character ${at}`)
  }
  assert.ok((sessions.built.metrics.values.get('gw_session_refused_total') ?? 0) > 0)
})

for (const [name, value] of [
  ['empty', ''],
  ['cut', 'eyJhbGciOiJkaXIi'],
  ['a signed token', 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA'],
  [
    'B42: compressed by its header',
    `${Buffer.from('{"alg":"dir","enc":"A256GCM","zip":"DEF"}').toString('base64url')}..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA`,
  ],
  [
    'B42: a password with endless rounds',
    `${Buffer.from('{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","p2c":2147483647,"p2s":"AAAA"}').toString('base64url')}.AAAA.AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA`,
  ],
  ['oversized', 'A'.repeat(100_000)],
  ['parts that never were', '2~abc'],
  ['a number of parts without end', '99999999999999999999~abc'],
] as const) {
  test(`a cookie that is ${name} gives an empty session`, async () => {
    await using sessions = await manager()
    assert.deepEqual((await sessions.visit([`${NAME}=${value}`])).before, {})
  })
}

test('keys rotate: old sessions are read with the old key, and written with the new one', async () => {
  const old = aes()
  await using sessions = await manager({}, [old])
  const { cookies } = await sessions.visit([], (session) => session.set('a', 1))
  sessions.keys.unshift(aes())
  const renewed = await sessions.visit(cookies, (session) => session.set('b', 2))
  assert.deepEqual(renewed.before, { a: 1 })
  sessions.keys.pop()
  assert.deepEqual((await sessions.visit(renewed.cookies)).before, { a: 1, b: 2 })
  assert.deepEqual((await sessions.visit(cookies)).before, {})
})

test('a session expires at its time, also when it was changed', async () => {
  await using sessions = await manager({ sessionTimeout: '10 minutes', skewAllowance: '5 seconds' })
  const first = await sessions.visit([], (session) => session.set('a', 1))
  sessions.clock.advance(9 * 60_000)
  const second = await sessions.visit(first.cookies, (session) => session.set('b', 2))
  sessions.clock.advance(64_000)
  assert.deepEqual((await sessions.visit(second.cookies)).before, { a: 1, b: 2 })
  sessions.clock.advance(2_000)
  assert.deepEqual((await sessions.visit(second.cookies)).before, {})
})

test('a login restarts the lifetime of the session', async () => {
  await using sessions = await manager({ sessionTimeout: '30 minutes' })
  const { cookies } = await sessions.visit([], (session) => session.set('login', 'begun'))
  sessions.clock.advance(29 * 60_000)
  const loggedIn = await sessions.visit(cookies, (session) => {
    session.renew?.()
    session.set('user', 'demo')
  })
  sessions.clock.advance(29 * 60_000)
  assert.equal((await sessions.visit(loggedIn.cookies)).before['user'], 'demo')
  sessions.clock.advance(60_000)
  assert.deepEqual((await sessions.visit(loggedIn.cookies)).before, {})
})

test('a session under another cookie name is rejected, although the key is the same', async () => {
  const keys = [aes()]
  await using one = await manager({ cookie: { name: 'one' } }, keys)
  await using two = await manager({ cookie: { name: 'two' } }, keys)
  await using same = await manager({ cookie: { name: 'one' } }, keys)
  const { cookies } = await one.visit([], (session) => session.set('isAdmin', true))
  const renamed = cookies.map((cookie) => cookie.replace(/^one=/, 'two='))
  assert.deepEqual((await two.visit(renamed)).before, {})
  assert.deepEqual({ ...(await same.visit(cookies)).before }, { isAdmin: true })
})

test('persistentCookie: browsers store it until the end of the session', async () => {
  await using sessions = await manager({ persistentCookie: true, sessionTimeout: '10 minutes' })
  const { fields } = await sessions.visit([], (session) => session.set('a', 1))
  assert.equal(parseSetCookie(fields[0] as string).maxAge, 600)
})

test('a session larger than one cookie is split over several, and joined again', async () => {
  await using sessions = await manager({ useCompression: false })
  const long = randomBytes(4_500).toString('base64')
  const { cookies, fields } = await sessions.visit([], (session) => session.set('long', long))
  assert.equal(cookies.length, 3)
  for (const field of fields) assert.ok(field.length < 4_096)
  assert.deepEqual((await sessions.visit([...cookies].reverse())).before, { long })
  const missing = await sessions.visit(cookies.slice(0, 2))
  assert.deepEqual(missing.before, {})
  const shorter = await sessions.visit(cookies, (session) => session.set('long', 'short'))
  assert.deepEqual(
    shorter.fields.map((field) => [parseSetCookie(field).name, parseSetCookie(field).maxAge]),
    [
      [NAME, undefined],
      [`${NAME}-1`, 0],
      [`${NAME}-2`, 0],
    ],
  )
  // A stale part of an old session has no effect.
  assert.deepEqual((await sessions.visit([...shorter.cookies, cookies[1] as string])).before, { long: 'short' })
})

test('content is compressed unless useCompression is false', async () => {
  const long = 'the same again and again, '.repeat(300)
  await using packed = await manager()
  await using plain = await manager({ useCompression: false })
  const small = await packed.visit([], (session) => session.set('long', long))
  const large = await plain.visit([], (session) => session.set('long', long))
  assert.equal(small.cookies.length, 1)
  assert.equal(large.cookies.length, 3)
  assert.deepEqual((await packed.visit(small.cookies)).before, { long })
})

test('a session that is too large for the cookies fails the request', async () => {
  await using sessions = await manager({ useCompression: false })
  const visit = sessions.visit([], (session) => session.set('long', 'x'.repeat(20_000)))
  await assert.rejects(visit, /needs \d+ characters of cookies, and 10800 is the most: use a RedisSessionManager/)
})

test('the cookie of an emptied session is deleted', async () => {
  await using sessions = await manager()
  const { cookies } = await sessions.visit([], (session) => session.set('a', 1))
  const { fields } = await sessions.visit(cookies, (session) => session.clear())
  assert.match(fields[0] as string, /^gateway-jwt-session=; Path=\/; Expires=Thu, 01 Jan 1970/)
})

for (const [method, bytes] of [
  ['A128GCM', 16],
  ['A192GCM', 24],
  ['A256GCM', 32],
  ['A128CBC-HS256', 32],
  ['A192CBC-HS384', 48],
  ['A256CBC-HS512', 64],
] as const) {
  test(`encryptionMethod ${method}, with a key and without one`, async () => {
    await using keyed = await manager({ encryptionMethod: method }, [aes(bytes)])
    const { cookies } = await keyed.visit([], (session) => session.set('a', 1))
    assert.deepEqual((await keyed.visit(cookies)).before, { a: 1 })
    const random = await build<SessionManager>(AuthenticatedEncryptedJwtSessionManager, { encryptionMethod: method })
    const response = new Response(200)
    const open = await random.object.open(exchangeFor('GET', URL))
    open.session.set('a', 1)
    await open.save(response)
    const { name, value } = parseSetCookie(response.headers.all('set-cookie')[0] as string)
    const again = await random.object.open(exchangeFor('GET', URL, { headers: { Cookie: `${name}=${value}` } }))
    assert.equal(again.session.get('a'), 1)
    assert.match(random.warnings.join(), /random key/)
    await random[Symbol.asyncDispose]()
  })
}

const refusals: readonly [name: string, config: Record<string, JsonValue>, keys: KeyObject[], message: RegExp][] = [
  ['a key of the wrong length', {}, [aes(16)], /can not encrypt by A256GCM; its key is one for A128GCM/],
  [
    'a key that does not suit encryption',
    {},
    [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
    /can not encrypt by dir/,
  ],
  [
    'an unknown secret id',
    { authenticatedEncryptionSecretId: 'other' },
    [aes()],
    /no secret store knows the secret id "other"/,
  ],
  ['no time', { sessionTimeout: '0 s' }, [aes()], /more than zero/],
  ['an unknown method', { encryptionMethod: 'A256CBC' }, [aes()], /encryptionMethod/],
]
for (const [name, config, keys, message] of refusals) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      manager(config, keys),
      (error: Error & { problems?: { pointer: string; message: string }[] }) => {
        assert.match((error.problems ?? []).map((each) => `${each.pointer}: ${each.message}`).join('\n'), message)
        return true
      },
    )
  })
}

test('of several cookies of the name, the one with a valid session is used, whole or split', async () => {
  await using sessions = await manager()
  for (const size of [10, 5_000]) {
    const { cookies } = await sessions.visit([], (session) => session.set('text', 'x'.repeat(size)))
    const strange = cookies.map((pair) => pair.replace(/=.*/, '=strange'))
    for (const sent of [
      [...strange, ...cookies],
      [...cookies, ...strange],
      [...strange.slice(1), ...cookies],
    ]) {
      const { before } = await sessions.visit(sent)
      assert.equal(
        (before['text'] as string | undefined)?.length,
        size,
        sent.map((pair) => pair.slice(0, 30)).join(' '),
      )
    }
  }
})

test('a session keeps its id when it changes, and gets another one with a login', async () => {
  await using sessions = await manager()
  const ids: unknown[] = []
  const look = (session: Session) => ids.push(session.id)
  const change = (session: Session) => session.set('at', ids.push(session.id))
  const first = await sessions.visit([], change)
  const second = await sessions.visit(first.cookies, change)
  const renewed = await sessions.visit(second.cookies, (session) => session.renew?.())
  await sessions.visit(renewed.cookies, look)
  assert.equal(ids[0], ids[1])
  assert.notEqual(ids[1], ids[2])
})
