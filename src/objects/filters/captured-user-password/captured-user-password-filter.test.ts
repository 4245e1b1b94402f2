import assert from 'node:assert/strict'
import { createCipheriv, createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { CompactEncrypt } from 'jose'
import { CapturedPasswordContext } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import { type Exchange, type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { accessManagerOptions } from '#test/am-service'
import { build } from '#test/build'
import { type ChangingSecrets, secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { groovyValue } from '#test/groovy-script'
import { ChainOfFilters } from '../chain-of-filters/chain-of-filters.ts'
import { SessionInfoFilter } from '../session-info/session-info-filter.ts'
import { CapturedUserPasswordFilter } from './captured-user-password-filter.ts'
import { decryptPassword } from './decrypt-password.ts'

const PROPERTY = 'sunIdentityUserPassword'
const AES_KEY = Buffer.alloc(32, 7)
const DES_KEY = Buffer.from('133457799BBCDFF1', 'hex')

const jwe = (content: string | Uint8Array, key: Buffer = AES_KEY, header: Record<string, string> = {}) =>
  new CompactEncrypt(Buffer.from(content as string))
    .setProtectedHeader({ alg: 'dir', enc: 'A128CBC-HS256', ...header })
    .encrypt(createSecretKey(key))

function des(password: string, key: Buffer = DES_KEY): string {
  const bytes = Buffer.from(password)
  const filled = Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)])
  const cipher = createCipheriv('des-ede3', Buffer.concat([key, key, key]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(filled), cipher.final()]).toString('base64')
}

const STORED: ChangingSecrets = {
  aes: createSecretKey(AES_KEY),
  'aes.text': AES_KEY.toString('base64'),
  des: DES_KEY.toString('base64'),
  short: 'c2hvcnQ=',
  broken: new Error('can not be read'),
}
const Secrets = secretsType(STORED)

async function withFilter(manager: DevelopmentAccessManager, config: JsonObject = {}, am: JsonObject = {}) {
  const { types, heap } = accessManagerOptions(manager.url, { notifications: { enabled: false }, ...am })
  const given = { amService: 'am', keySecretId: 'aes', secretsProvider: { type: Secrets.name }, ...config }
  const built = await build<Filter>(CapturedUserPasswordFilter, given, { types: [...types, Secrets], heap })
  return {
    built,
    async send(token: string | null, from: Exchange = withCookie(token)) {
      let passed: Exchange | null = null
      const response = await built.object(from, async (inside) => {
        passed = inside
        return respond(200)
      })
      const password = (passed as Exchange | null)?.context(CapturedPasswordContext) ?? null
      return { status: response.status, passed: passed as Exchange | null, password }
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const withCookie = (token: string | null) =>
  exchangeFor(
    'GET',
    'http://app.example/',
    token === null ? {} : { headers: { Cookie: `iPlanetDirectoryPro=${token}` } },
  )

const start = (family: 'pingam' | 'openam' = 'pingam') =>
  DevelopmentAccessManager.start({ family, sessionProperties: ['AMCtxId', PROPERTY] })

function loginWith(manager: DevelopmentAccessManager, encrypted: string): string {
  const token = manager.login('demo')
  manager.setSessionProperty(token, PROPERTY, encrypted)
  return token
}

for (const family of ['pingam', 'openam'] as const) {
  test(`AES: the password of the session is in contexts.capturedPassword (${family})`, async () => {
    await using manager = await start(family)
    await using filter = await withFilter(manager, {}, { sessionProperties: [PROPERTY] })
    const token = loginWith(manager, await jwe(JSON.stringify({ password: 'pä&"ss' })))
    const { status, password, passed } = await filter.send(token)
    assert.deepEqual([status, password?.value], [200, 'pä&"ss'])
    assert.deepEqual(password?.raw, Buffer.from('pä&"ss'))
    assert.deepEqual(await groovyValue('contexts.capturedPassword.value', { exchange: passed as Exchange }), 'pä&"ss')
    assert.ok(!(inspect(password) + JSON.stringify(password) + filter.built.log.lines.join()).includes('pä'))
  })
}

test('AES: a password that is the whole content, and a key in base64', async () => {
  await using manager = await start()
  await using filter = await withFilter(manager, { keySecretId: 'aes.text' })
  for (const password of ['plain', '12345', '{"other":1}', '"quoted"'])
    assert.equal((await filter.send(loginWith(manager, await jwe(password)))).password?.value, password)
})

test('DES: the vector of the standard, and passwords of any length', async () => {
  const plain = Buffer.from('0123456789ABCDEF', 'hex')
  const known = Buffer.from('85E813540F0AB405', 'hex')
  const cipher = createCipheriv('des-ede3', Buffer.concat([DES_KEY, DES_KEY, DES_KEY]), null).setAutoPadding(false)
  assert.deepEqual(Buffer.concat([cipher.update(plain), cipher.final()]), known)
  for (const password of ['x', '12345678', 'a longer password, ä'])
    assert.equal((await decryptPassword(des(password), DES_KEY, 'DES'))?.toString(), password)
})

test('DES: from the session, with a warning at load', async () => {
  await using manager = await start()
  await using filter = await withFilter(manager, { keyType: 'DES', keySecretId: 'des' })
  assert.equal((await filter.send(loginWith(manager, des('changeit')))).password?.value, 'changeit')
  assert.match(filter.built.warnings.join(), /DES is not secure/)
})

test('the older field key has the key itself', async () => {
  await using manager = await start()
  const key = AES_KEY.toString('base64')
  const { types, heap } = accessManagerOptions(manager.url, { notifications: { enabled: false } })
  const { SecretsProvider } = await import('../../stores/secrets-provider/secrets-provider.ts')
  await using built = await build<Filter>(
    CapturedUserPasswordFilter,
    { amService: 'am', keyType: 'AES', key },
    { types: [...types, SecretsProvider], heap },
  )
  let value: string | undefined
  await built.object(withCookie(loginWith(manager, await jwe('{"password":"p"}'))), async (inside) => {
    value = inside.context(CapturedPasswordContext)?.value
    return respond(200)
  })
  assert.equal(value, 'p')
  assert.ok(!(built.warnings.join() + built.log.lines.join()).includes(key))
})

/** A SessionInfoFilter with an AmService of its own, or with `am`, before the filter. */
async function behindSessionInfo(manager: DevelopmentAccessManager, info: JsonObject, config: JsonObject = {}) {
  const { types, heap } = accessManagerOptions(manager.url, { notifications: { enabled: false } })
  const given = { amService: 'am', keySecretId: 'aes', secretsProvider: { type: Secrets.name }, ...config }
  return build<Filter>(
    ChainOfFilters,
    {
      filters: [
        { type: 'SessionInfoFilter', config: info },
        { type: 'CapturedUserPasswordFilter', config: given },
      ],
    },
    { types: [...types, Secrets, SessionInfoFilter, CapturedUserPasswordFilter], heap },
  )
}

async function outcomeOf(filter: Filter, exchange: Exchange): Promise<string> {
  let value = ''
  const { status } = await filter(exchange, async (inside) => {
    value = inside.context(CapturedPasswordContext)?.value ?? ''
    return respond(200)
  })
  return `${status} ${value}`.trim()
}

test('the property in contexts.amSession is used without another lookup', async () => {
  await using manager = await start()
  await using built = await behindSessionInfo(manager, { amService: 'am' })
  const token = loginWith(manager, await jwe('{"password":"p"}'))
  assert.equal(await outcomeOf(built.object, withCookie(token)), '200 p')
  const lookups = manager.requests('sessions').filter(({ target }) => target.includes('getSessionInfo'))
  assert.equal(lookups.length, 1)
})

test('the password in the session of another AmService is not used', async () => {
  await using manager = await start()
  await using other = await start()
  const { heap } = accessManagerOptions(other.url, { notifications: { enabled: false } })
  const { config } = heap.find((each) => (each as JsonObject)['name'] === 'am') as JsonObject
  const foreign = loginWith(other, await jwe('{"password":"of another server"}'))
  const info = {
    amService: { type: 'AmService', config: config as JsonObject },
    ssoToken: "${request.headers['X-Other'][0]}",
  }
  await using built = await behindSessionInfo(manager, info)
  const asking = (token: string | null) =>
    exchangeFor('GET', 'http://app.example/', {
      headers: { 'X-Other': foreign, ...(token !== null && { Cookie: `iPlanetDirectoryPro=${token}` }) },
    })
  assert.equal(await outcomeOf(built.object, asking(null)), '403')
  const own = loginWith(manager, await jwe('{"password":"own"}'))
  assert.equal(await outcomeOf(built.object, asking(own)), '200 own')
})

test('the password of another session than that of ssoToken is not used', async () => {
  await using manager = await start()
  await using built = await behindSessionInfo(
    manager,
    { amService: 'am', ssoToken: "${request.headers['X-Other'][0]}" },
    { ssoToken: "${request.headers['X-Own'][0]}" },
  )
  const tokens = {
    'X-Other': loginWith(manager, await jwe('{"password":"of another user"}')),
    'X-Own': loginWith(manager, await jwe('{"password":"own"}')),
  }
  assert.equal(await outcomeOf(built.object, exchangeFor('GET', 'http://app.example/', { headers: tokens })), '200 own')
})

test('of several cookies of the name, the first with a session has the password', async () => {
  await using manager = await start()
  await using filter = await withFilter(manager)
  const token = loginWith(manager, await jwe('{"password":"p"}'))
  assert.equal((await filter.send(`stale; iPlanetDirectoryPro=${token}`)).password?.value, 'p')
})

test('a request without a session, or with one without password, gets 403', async () => {
  await using manager = await start()
  await using filter = await withFilter(manager)
  for (const token of [null, 'unknown', manager.login('demo')]) {
    const { status, passed } = await filter.send(token)
    assert.deepEqual([status, passed], [403, null])
  }
  assert.match(filter.built.log.lines.join(), /sunIdentityUserPassword/)
})

test('a password that can not be decrypted gives 500, and is in no log', async () => {
  await using manager = await start()
  const texts = [
    'nonsense',
    'a.b.c.d.e',
    await jwe('{"password":"p"}', Buffer.alloc(32, 8)),
    await jwe('{"password":"p"}', Buffer.alloc(64, 7), { enc: 'A256CBC-HS512' }),
    'x'.repeat(20_000),
  ]
  await using aes = await withFilter(manager)
  await using des8 = await withFilter(manager, { keyType: 'DES', keySecretId: 'des' })
  await using short = await withFilter(manager, { keySecretId: 'short' })
  await using broken = await withFilter(manager, { keySecretId: 'broken' })
  const valid = loginWith(manager, await jwe('{"password":"p"}'))
  for (const text of texts) {
    const { status, passed } = await aes.send(loginWith(manager, text))
    assert.deepEqual([status, passed], [500, null], text.slice(0, 30))
  }
  assert.equal(
    (await des8.send(loginWith(manager, des('changeit', Buffer.from('0123456789ABCDEF', 'hex'))))).status,
    500,
  )
  assert.equal((await des8.send(loginWith(manager, 'AAAA'))).status, 500)
  assert.equal((await short.send(valid)).status, 500)
  assert.equal((await broken.send(valid)).status, 500)
  assert.ok(!aes.built.log.lines.join().includes('nonsense'))
})

test('while the access manager can not be reached the response is 503', async () => {
  const manager = await start()
  await using filter = await withFilter(manager)
  const token = loginWith(manager, await jwe('{"password":"p"}'))
  assert.equal((await filter.send(token)).status, 200)
  await manager.close()
  assert.equal((await filter.send(token)).status, 503)
})

for (const [name, config, message] of [
  ['no key', { keySecretId: null }, /keySecretId/],
  ['an unknown encryption', { keyType: 'RC4' }, /keyType/],
] as const) {
  test(`refused: ${name}`, async () => {
    await using manager = await start()
    await assert.rejects(
      withFilter(manager, config as unknown as JsonObject),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
  })
}
