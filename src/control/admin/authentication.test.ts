import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type AdminCaller, AdminCallerContext, OAuth2Context, SsoTokenContext } from '#contracts'
import { chain, type Exchange, type Filter, respond } from '#http'
import { exchangeFor } from '#test/exchange'
import { identifyCaller } from './admin-caller.ts'
import { acceptCredentials, adminCredentials, authenticate, isLoopback } from './authentication.ts'
import { API_LIMITS, LogInAttempts } from './studio/log-in-attempts.ts'

const PASSWORD = 'pässword: with a colon'
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

async function statusOf(parts: {
  mode: 'PRODUCTION' | 'DEVELOPMENT'
  password: string | null
  from: string
  path?: string
  authorization?: string | string[]
}): Promise<number> {
  const filter = authenticate({
    credentials: { password: () => parts.password },
    mode: parts.mode,
    isOpenToLoopback: (path) => path.startsWith('/metrics'),
  })
  const exchange = exchangeFor('GET', `http://localhost${parts.path ?? '/api/info'}`, {
    client: { remoteAddress: parts.from },
    ...(parts.authorization !== undefined && { headers: { Authorization: parts.authorization } }),
  })
  return (await filter(exchange, async () => respond(200))).status
}

describe('admin authentication (decisions 3)', () => {
  const here = '127.0.0.1'
  const elsewhere = '192.0.2.7'
  const rows: readonly [
    mode: 'PRODUCTION' | 'DEVELOPMENT',
    password: string | null,
    from: string,
    path: string,
    status: number,
  ][] = [
    ['PRODUCTION', null, here, '/api/info', 401],
    ['PRODUCTION', null, elsewhere, '/api/info', 401],
    ['PRODUCTION', null, here, '/metrics/prometheus', 200],
    ['PRODUCTION', null, elsewhere, '/metrics/prometheus', 401],
    ['PRODUCTION', PASSWORD, here, '/api/info', 401],
    ['PRODUCTION', PASSWORD, here, '/metrics/prometheus', 200],
    ['PRODUCTION', PASSWORD, elsewhere, '/metrics/prometheus', 401],
    ['DEVELOPMENT', null, here, '/api/info', 200],
    ['DEVELOPMENT', null, '::1', '/api/info', 200],
    ['DEVELOPMENT', null, elsewhere, '/api/info', 401],
    ['DEVELOPMENT', null, elsewhere, '/metrics/prometheus', 401],
    ['DEVELOPMENT', PASSWORD, here, '/api/info', 401],
    ['DEVELOPMENT', PASSWORD, elsewhere, '/api/info', 401],
  ]
  for (const [mode, password, from, path, status] of rows) {
    const secret = password === null ? 'no secret' : 'a secret'
    test(`${mode}, ${secret}, from ${from}, ${path} without credentials: ${status}`, async () => {
      assert.equal(await statusOf({ mode, password, from, path }), status)
    })
  }

  test('valid credentials are accepted in each mode, from any address', async () => {
    for (const mode of ['PRODUCTION', 'DEVELOPMENT'] as const) {
      for (const authorization of [basic('admin', PASSWORD), basic('admin', PASSWORD).replace('Basic', 'BASIC')]) {
        assert.equal(await statusOf({ mode, password: PASSWORD, from: elsewhere, authorization }), 200)
      }
      assert.equal(await statusOf({ mode, password: 'token', from: elsewhere, authorization: 'bearer token' }), 200)
    }
  })

  const refused: Readonly<Record<string, string | string[]>> = {
    'another password': basic('admin', 'guess'),
    'another user': basic('root', 'token'),
    'no user': basic('', 'token'),
    'a prefix of the password': 'Bearer toke',
    'a longer token': 'Bearer token2',
    'an empty token': 'Bearer ',
    'two spaces': 'Bearer  token',
    'another scheme': 'Digest token',
    'only the token': 'token',
    'two headers': ['Bearer token', 'Bearer token'],
  }
  for (const [what, authorization] of Object.entries(refused)) {
    test(`${what}: 401`, async () => {
      assert.equal(await statusOf({ mode: 'PRODUCTION', password: 'token', from: here, authorization }), 401)
    })
  }

  test('credentials are rejected where no secret is configured', async () => {
    for (const authorization of [basic('admin', ''), basic('admin', 'null'), 'Bearer null', 'Bearer undefined']) {
      assert.equal(await statusOf({ mode: 'PRODUCTION', password: null, from: here, authorization }), 401)
    }
  })

  test('the 401 names the scheme and is not cacheable', async () => {
    const filter = authenticate({
      credentials: { password: () => 'x' },
      mode: 'PRODUCTION',
      isOpenToLoopback: () => false,
    })
    const response = await filter(exchangeFor('GET', 'http://localhost/api/info'), async () => respond(200))
    assert.equal(response.headers.get('www-authenticate'), 'Basic realm="IdentityGateway", charset="UTF-8"')
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })
})

describe('the caller', () => {
  const callerOf = async (filter: Filter, exchange: Exchange): Promise<AdminCaller | null> => {
    let found: AdminCaller | null = null
    await filter(exchange, async (inner) => {
      found = inner.context(AdminCallerContext)
      return respond(200)
    })
    return found
  }
  const asking = (authorization?: string) =>
    exchangeFor('GET', 'http://localhost/api/info', {
      client: { remoteAddress: '127.0.0.1' },
      ...(authorization !== undefined && { headers: { Authorization: authorization } }),
    })

  test('is the admin with Basic or Bearer credentials', async () => {
    const filter = authenticate({
      credentials: { password: () => 'token' },
      mode: 'PRODUCTION',
      isOpenToLoopback: () => false,
    })
    const caller = (scheme: string) => callerOf(filter, asking(scheme))
    assert.deepEqual(await caller(basic('admin', 'token')), { userId: 'admin', authentication: 'basic' })
    assert.deepEqual(await caller('Bearer token'), { userId: 'admin', authentication: 'bearer' })
  })

  test('is anonymous for a process on this machine without credentials', async () => {
    const filter = authenticate({
      credentials: { password: () => null },
      mode: 'DEVELOPMENT',
      isOpenToLoopback: () => false,
    })
    assert.deepEqual(await callerOf(filter, asking('Basic cm9vdDp4')), { userId: null, authentication: 'loopback' })
  })

  test('is the user authenticated by the filters of the protection', async () => {
    const authentication = 'adminProtection'
    assert.deepEqual(await callerOf(identifyCaller, asking()), { userId: null, authentication })
    const accessToken = { token: 't', info: { sub: 'carol' }, scopes: new Set<string>(), expiresAt: null }
    const token = asking().with(OAuth2Context, { accessToken })
    assert.deepEqual(await callerOf(identifyCaller, token), { userId: 'carol', authentication })
    const machine = { ...accessToken, info: { sub: '', client_id: 'deployer' } }
    const client = asking().with(OAuth2Context, { accessToken: machine })
    assert.deepEqual(await callerOf(identifyCaller, client), { userId: 'deployer', authentication })
    const session = { value: 's', info: { username: 'dave' }, loginEndpoint: '', universalId: null }
    assert.deepEqual(await callerOf(identifyCaller, asking().with(SsoTokenContext, session)), {
      userId: 'dave',
      authentication,
    })
  })
})

test('the password of the file, without its line end, precedes that of the environment; an empty one is ignored', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-secrets-'))
  try {
    const credentials = adminCredentials(directory, { GATEWAY_ADMIN_PASSWORD: 'from the environment' })
    assert.equal(credentials.password(), 'from the environment')
    const file = join(directory, 'gateway.admin.password')
    writeFileSync(file, 'from the file \n')
    assert.equal(credentials.password(), 'from the file ')
    writeFileSync(file, 'changed')
    assert.equal(credentials.password(), 'changed')
    writeFileSync(file, '\n')
    assert.equal(credentials.password(), null)
    assert.equal(adminCredentials(join(directory, 'none'), { GATEWAY_ADMIN_PASSWORD: '' }).password(), null)
    assert.equal(adminCredentials(join(directory, 'none'), {}).password(), null)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('loopback is 127.0.0.0/8 and ::1, compared as addresses and not by prefix', () => {
  for (const address of ['127.0.0.1', '127.8.9.10', '::1']) assert.equal(isLoopback(address), true)
  for (const address of ['128.0.0.1', '10.127.0.1', '127.0.0.1.evil.test', '::2', '', 'localhost']) {
    assert.equal(isLoopback(address), false)
  }
})

/** A clock that each pause of a waiting request advances. */
function limited() {
  const clock = { time: 0, monotonic: () => clock.time }
  const attempts = new LogInAttempts(clock, API_LIMITS, async (milliseconds) => {
    clock.time += milliseconds
  })
  return { clock, attempts }
}

test('beyond fifty wrong guesses of an address each one takes time, and the right credentials are accepted', async () => {
  const { clock, attempts } = limited()
  const filter = authenticate({
    credentials: { password: () => PASSWORD },
    mode: 'PRODUCTION',
    attempts,
    isOpenToLoopback: () => false,
  })
  const ask = async (remoteAddress: string, authorization: string | null) => {
    const headers = authorization === null ? {} : { Authorization: authorization }
    const exchange = exchangeFor('GET', 'http://localhost/api/info', { client: { remoteAddress }, headers })
    return filter(exchange, async () => respond(200))
  }
  const statusOf = async (from: string, authorization: string | null) => (await ask(from, authorization)).status
  for (let n = 0; n < 50; n++) assert.equal(await statusOf('192.0.2.1', `Bearer guess${n}`), 401)
  assert.equal(clock.time, 0)
  for (let n = 0; n < 8; n++) assert.equal(await statusOf('192.0.2.1', `Bearer other${n}`), 401)
  assert.equal(clock.time, 2_000)
  assert.equal(await statusOf('192.0.2.1', basic('admin', PASSWORD)), 200)
  assert.equal(clock.time, 2_250)
  const many = await Promise.all(Array.from({ length: 60 }, (_, n) => ask('192.0.2.1', `Bearer parallel${n}`)))
  const refused = many.filter(({ status }) => status === 429)
  assert.deepEqual(
    [refused.length, refused[0]?.headers.get('retry-after')],
    [19, '1'],
    'one is compared at once, and forty wait',
  )
  assert.equal(await statusOf('192.0.2.1', null), 401)
  assert.equal(await statusOf('192.0.2.1', basic('admin', PASSWORD)), 200)
  const before = clock.time
  // Many addresses together do not delay one with the right credentials.
  for (let n = 0; n < 2_000; n++) await ask(`10.0.${n >> 8}.${n & 255}`, 'Bearer guess')
  assert.equal(await statusOf('192.0.2.2', basic('admin', PASSWORD)), 200)
  assert.equal(clock.time, before)
})

test('a program with an old password does not delay the right one of its address', async () => {
  const { clock, attempts } = limited()
  let password = PASSWORD
  const filter = authenticate({
    credentials: { password: () => password },
    mode: 'PRODUCTION',
    attempts,
    isOpenToLoopback: () => false,
  })
  const statusOf = async (Authorization: string) => {
    const client = { remoteAddress: '192.0.2.1' }
    const exchange = exchangeFor('GET', 'http://localhost/api/info', { client, headers: { Authorization } })
    return (await filter(exchange, async () => respond(200))).status
  }
  for (let n = 0; n < 1_000; n++) assert.equal(await statusOf('Bearer old'), 401)
  assert.equal(await statusOf(basic('admin', PASSWORD)), 200)
  assert.equal(clock.time, 0)
  password = 'old'
  assert.equal(await statusOf('Bearer old'), 200, 'the same credentials are right now')
})

test('beside a filter, wrong credentials take time too, but not those that the filter accepts', async () => {
  const { clock, attempts } = limited()
  const filter: Filter = async (exchange, next) =>
    exchange.request.headers.get('authorization') === 'Bearer token' ? next(exchange) : respond(302)
  const parts = { credentials: { password: () => PASSWORD }, attempts }
  const handler = acceptCredentials(
    parts,
    async () => respond(200),
    (next) => chain([filter], next),
  )
  const statusOf = async (Authorization: string, remoteAddress = '192.0.2.1') => {
    const client = { remoteAddress }
    return (await handler(exchangeFor('GET', 'http://localhost/api/info', { client, headers: { Authorization } })))
      .status
  }
  for (let n = 0; n < 60; n++) assert.equal(await statusOf('Bearer token'), 200)
  assert.equal(await statusOf(basic('admin', PASSWORD)), 200)
  for (let n = 0; n < 50; n++) assert.equal(await statusOf(`Bearer guess${n}`), 302)
  assert.equal(clock.time, 0)
  assert.equal(await statusOf('Bearer guess'), 302)
  assert.equal(clock.time, 250)
  assert.equal(await statusOf('Bearer token'), 200)
  assert.equal(await statusOf(basic('admin', PASSWORD), '192.0.2.2'), 200)
  assert.equal(clock.time, 250)
  assert.equal(await statusOf(basic('admin', PASSWORD)), 200)
  assert.equal(clock.time, 500)
  const many = await Promise.all(Array.from({ length: 50 }, (_, n) => statusOf(`Bearer parallel${n}`)))
  assert.equal(many.filter((status) => status === 429).length, 9)
})
