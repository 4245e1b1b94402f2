import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { HandlerKind, type Purpose, providerOf, type SecretStore } from '#contracts'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { defineType } from '#schema'
import { fetchJwkSet } from '#secrets'
import { build, manualClock } from '#test/build'
import { testIdentity } from '#test/test-identity'
import { httpUpstream } from '#test/upstream'
import { within } from '#test/waiting'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { JwkSetSecretStore } from './jwk-set-secret-store.ts'

const pair = (kid: string, more: object = {}) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...(privateKey.export({ format: 'jwk' }) as Record<string, unknown>), kid, ...more }
}
const publicPart = ({ d: _, ...jwk }: Record<string, unknown>) => jwk

const first = publicPart(pair('first'))
const second = publicPart(pair('second'))

/** An endpoint with a response that the test changes, and a store that uses it. */
async function endpoint(config: JsonObject = {}, keys: readonly object[] = [first]) {
  const state = {
    requests: 0,
    answer: (_: IncomingMessage, response: ServerResponse) => void response.end(JSON.stringify({ keys })),
  }
  const serve = (keys: readonly object[]) => {
    state.answer = (_, response) => void response.end(JSON.stringify({ keys }))
  }
  const fail = (status: number) => {
    state.answer = (_, response) => void response.writeHead(status).end()
  }
  const upstream = await httpUpstream((request, response) => {
    state.requests += 1
    state.answer(request, response)
  })
  const clock = manualClock()
  const built = await build<SecretStore>(
    JwkSetSecretStore,
    { jwkUrl: `${upstream.url}/jwks?key=hunter2`, ...config },
    { clock, types: [ClientHandler], heap: [{ name: 'ClientHandler', type: 'ClientHandler' }] },
  ).catch(async (error: unknown) => {
    await upstream[Symbol.asyncDispose]()
    throw error
  })
  const provider = providerOf([built.object])
  const kids = async (purpose: Purpose = 'VERIFY') =>
    (await provider.valid({ secretId: 'any', purpose })).map(({ stableId }) => stableId)
  const named = async (stableId: string) =>
    (await provider.named({ secretId: 'any', purpose: 'VERIFY', stableId }))?.stableId ?? null
  return {
    state,
    serve,
    fail,
    clock,
    built,
    provider,
    kids,
    named,
    async [Symbol.asyncDispose]() {
      await built[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

test('keys are fetched on first use; every id has all keys in their order', async () => {
  await using at = await endpoint({}, [first, second])
  assert.equal(at.state.requests, 0)
  assert.deepEqual(await at.kids(), ['first', 'second'])
  assert.equal(await at.named('second'), 'second')
  assert.equal(at.state.requests, 1)
})

test('passwords and private keys are unknown, so that the next store is used', async () => {
  await using at = await endpoint()
  for (const purpose of ['GENERIC', 'SIGN', 'DECRYPT'] as const)
    assert.equal(await at.built.object.find({ secretId: 'any', purpose }), null)
  assert.equal(at.state.requests, 0)
})

test('with secretIds the keys have these ids alone, and other ids cause no request', async () => {
  await using at = await endpoint({ secretIds: ['any', 'partner.keys'] })
  assert.equal(await at.built.object.find({ secretId: 'other', purpose: 'VERIFY' }), null)
  assert.equal(at.state.requests, 0)
  assert.deepEqual(await at.kids(), ['first'])
  assert.equal((await at.built.object.find({ secretId: 'partner.keys', purpose: 'ENCRYPT' }))?.length, 1)
})

test('concurrent lookups share one request', async () => {
  await using at = await endpoint()
  await Promise.all(Array.from({ length: 200 }, () => at.kids()))
  assert.equal(at.state.requests, 1)
})

test('keys are fetched again after cacheTimeout', async () => {
  await using at = await endpoint({ cacheTimeout: '10 s' })
  const heard: string[] = []
  at.built.object.onChange(() => heard.push('change'))
  await at.kids()
  at.serve([second])
  at.clock.advance(9_999)
  assert.deepEqual(await at.kids(), ['first'])
  at.clock.advance(1)
  assert.deepEqual(await at.kids(), ['second'])
  assert.deepEqual(heard, ['change'])
})

test('an unknown kid causes a fetch, once within cacheMissCacheTime', async () => {
  await using at = await endpoint({ cacheTimeout: '5 minutes', leaseExpiry: '10 minutes' })
  await at.kids()
  at.clock.advance(1)
  assert.equal(await at.named('second'), null)
  assert.equal(at.state.requests, 2)
  at.serve([first, second])
  at.clock.advance(9_999)
  assert.equal(await at.named('second'), null)
  assert.equal(at.state.requests, 2)
  at.clock.advance(1)
  assert.equal(await at.named('second'), 'second')
  assert.equal(at.state.requests, 3)
})

test('invented kids cause five fetches a minute at most, and can not invalidate a token with a new key', async () => {
  await using at = await endpoint({ cacheTimeout: '10 minutes', leaseExpiry: '20 minutes' })
  await at.kids()
  for (let name = 0; name < 5; name += 1) {
    at.clock.advance(1)
    assert.equal(await at.named(`made-up-${name}`), null)
  }
  at.clock.advance(1)
  assert.equal(at.state.requests, 6)
  at.serve([first, second])
  for (const name of ['made-up-5', 'second']) {
    await assert.rejects(at.named(name), /the key of the token can not be looked up at the moment/)
  }
  assert.equal(await at.named('first'), 'first', 'known keys are not affected')
  assert.equal(await at.named('made-up-0'), null, 'the answer about this name is a moment old')
  assert.equal(await at.named('x'.repeat(513)), null, 'no key has such a name')
  assert.equal(at.state.requests, 6)
  const warned = at.built.log.entries.filter(({ message }) => /too many unknown key names/.test(String(message)))
  assert.equal(warned.length, 1)
  at.clock.advance(60_000)
  assert.equal(await at.named('second'), 'second')
  assert.equal(at.state.requests, 7)
})

test('concurrent tokens with invented kids wait for one fetch', async () => {
  await using at = await endpoint({ cacheTimeout: '5 minutes' })
  await at.kids()
  at.clock.advance(1)
  await Promise.all(Array.from({ length: 100 }, (_, i) => at.named(`made-up-${i}`)))
  assert.equal(at.state.requests, 2)
})

test('keys without a kid are used for tokens with any kid', async () => {
  const { kid: _, ...nameless } = first
  await using at = await endpoint({ cacheTimeout: '5 minutes' }, [nameless])
  const found = async (stableId: string) =>
    (await at.built.object.find({ secretId: 'any', purpose: 'VERIFY', stableId }))?.length
  await at.kids()
  for (let name = 0; name < 20; name += 1) {
    at.clock.advance(1)
    assert.equal(await found(`some-${name}`), 1)
  }
  assert.ok(at.state.requests <= 6)
})

test('a failing endpoint makes tokens with an unknown kid unverifiable, not invalid', async () => {
  await using at = await endpoint({ cacheTimeout: '5 minutes' })
  await at.kids()
  at.fail(503)
  at.clock.advance(1)
  await assert.rejects(at.named('second'), /can not be fetched/)
  at.serve([first, second])
  at.clock.advance(1_999)
  await assert.rejects(at.named('second'), /can not be fetched/)
  at.clock.advance(1)
  assert.equal(await at.named('second'), 'second')
})

test('an endpoint that was unresponsive is used again within 2 s after its recovery', async () => {
  await using at = await endpoint()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  at.state.answer = () => void resolve()
  // Rejects at the end of the test, when the endpoint closes its connections.
  at.kids().catch(() => {})
  await within('the endpoint got the request', asked)
  at.serve([first])
  at.clock.advance(2_000)
  assert.deepEqual(await at.kids(), ['first'])
  assert.equal(at.state.requests, 2)
})

test('names are own keys only', async () => {
  await using at = await endpoint()
  for (const kid of ['__proto__', 'constructor', '', '../first', 'FIRST']) assert.equal(await at.named(kid), null)
})

test('while the endpoint fails the last good keys are used until the lease ends', async () => {
  await using at = await endpoint({ cacheTimeout: '1 minute', leaseExpiry: '5 minutes' })
  await at.kids()
  at.fail(500)
  at.clock.advance(60_000)
  assert.deepEqual(await at.kids(), ['first'])
  assert.deepEqual(await at.kids(), ['first'])
  assert.equal(at.state.requests, 2)
  at.clock.advance(239_999)
  assert.deepEqual(await at.kids(), ['first'])
  at.clock.advance(2_000)
  await assert.rejects(at.kids(), (error: Error) => {
    assert.match(
      error.message,
      /^gateway\+object: the keys of http:\/\/127\.0\.0\.1:\d+\/jwks can not be fetched: expected the status 200, got 500$/,
    )
    return true
  })
  at.serve([second])
  await assert.rejects(at.kids(), /can not be fetched/)
  at.clock.advance(2_000)
  assert.deepEqual(await at.kids(), ['second'])
  assert.doesNotMatch(at.built.log.lines.join(''), /hunter2/)
  assert.match(at.built.log.lines.join(''), /keys can be fetched again/)
})

test('redirects are not followed', async () => {
  await using at = await endpoint()
  at.state.answer = (_, response) => void response.writeHead(302, { Location: '/elsewhere' }).end()
  await assert.rejects(at.kids(), /expected the status 200, got 302/)
  assert.equal(at.state.requests, 1)
})

const bad: readonly [string, string | Buffer, RegExp][] = [
  ['HTML', '<html>', /expected a JSON Web Key Set/],
  ['a list', '[]', /expected a JSON Web Key Set/],
  ['keys that are none', '{"keys":{}}', /expected a JSON Web Key Set/],
  ['a member twice', '{"keys":[],"keys":[]}', /each member once/],
  ['keys of the prototype', '{"__proto__":{"keys":[]}}', /expected a JSON Web Key Set/],
  ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), /expected a JSON Web Key Set/],
  ['too many keys', JSON.stringify({ keys: Array(501).fill({}) }), /expected at most 500 keys, got 501/],
  ['more than a mebibyte', ' '.repeat(1_048_577), /1048576/],
]

for (const [what, content, message] of bad) {
  test(`${what} is refused`, async () => {
    await using at = await endpoint()
    at.state.answer = (_, response) => void response.end(content)
    await assert.rejects(at.kids(), message)
  })
}

test('unusable keys are skipped and logged at debug level, without their content', async () => {
  const secret = { kty: 'oct', kid: 'symmetric', k: 'aHVudGVyMg' }
  await using at = await endpoint({}, [{}, secret, { kty: 'EC', kid: 'x', crv: 'P-256', x: 'A', y: 'A' }, first])
  assert.deepEqual(await at.kids(), ['first'])
  const logged = at.built.log.entries.filter(
    ({ message }) => message === 'key of a JWK Set skipped: it can not be used',
  )
  assert.equal(logged.length, 3)
  assert.doesNotMatch(at.built.log.lines.join(''), /aHVudGVyMg/)
})

test('private parts published by mistake are ignored, and such keys sign nothing', async () => {
  await using at = await endpoint({}, [pair('careless')])
  const [key] = await at.provider.valid({ secretId: 'any', purpose: 'VERIFY' })
  assert.equal(key?.privateOrSecretKey, null)
  await assert.rejects(at.kids('SIGN'), { message: 'no secret store knows the secret id "any"' })
})

test('the use of a key is respected', async () => {
  const forEncryption = publicPart(pair('enc', { use: 'enc' }))
  await using at = await endpoint({}, [forEncryption, { ...first, use: 'sig' }])
  assert.deepEqual(await at.kids(), ['first'])
  assert.deepEqual(await at.kids('ENCRYPT'), ['enc'])
})

test('an unreachable endpoint fails the lookup, not the load', async () => {
  await using at = await endpoint({ jwkUrl: 'http://127.0.0.1:1/jwks' })
  await assert.rejects(at.kids(), /the keys of http:\/\/127\.0\.0\.1:1\/jwks can not be fetched/)
})

test('a handler that does not respond times out', async () => {
  const never: Handler = () => new Promise(() => {})
  await using at = await endpoint()
  const { logger } = { logger: { debug: () => {} } as never }
  await assert.rejects(fetchJwkSet('http://a.example/jwks', never, logger, 5), /no response within 5 ms/)
  assert.equal(at.state.requests, 0)
})

test('the handler of the configuration is used', async () => {
  const Refuser = defineType({
    name: 'Refuser',
    kind: HandlerKind,
    summary: 'Throws.',
    config: {},
    create: (): Handler => async () => {
      throw new Error('not today')
    },
  })
  await using built = await build<SecretStore>(
    JwkSetSecretStore,
    { jwkUrl: 'https://a.example/jwks', handler: { type: 'Refuser' } },
    { types: [Refuser] },
  )
  await assert.rejects(built.object.find({ secretId: 'a', purpose: 'VERIFY' }), /can not be fetched: not today/)
  assert.doesNotMatch(inspect(built.object), /PRIVATE/)
})

test('settings that are out of bounds give a warning', async () => {
  await using at = await endpoint({ cacheTimeout: '9 s', leaseExpiry: 'unlimited', jwkUrl: 'http://a.example/jwks' })
  assert.deepEqual(at.built.warnings, [
    '/heap/0: keys that are fetched over http can be replaced by an attacker on the network; use https for jwkUrl',
    '/heap/0: cacheTimeout can not be less than 10 seconds; the default of 2 minutes is used',
    '/heap/0: leaseExpiry can not be unlimited; the default of 5 minutes is used',
  ])
})

const refusals: readonly [string, JsonObject, string][] = [
  ['no URL', { jwkUrl: null }, 'jwkUrl: expected a URL (http://, https://); this field is required'],
  ['a file', { jwkUrl: 'file:///etc/passwd' }, 'jwkUrl: expected a URL (http://, https://), got "file:///etc/passwd"'],
  ['no id', { secretIds: [] }, 'secretIds: expected at least one element'],
  ['an invalid timeout', { cacheTimeout: 5 }, 'cacheTimeout: expected a duration such as "10 seconds", got 5'],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(endpoint(config), { message: `/heap/0/config/${message}` })
  })
}

test('the latest end of the certificates of a set (x5c) is exported', async () => {
  const published = (year: number) => {
    const { key, certificate } = testIdentity('issuer', { to: new Date(Date.UTC(year, 0)) })
    const jwk = publicPart(key.export({ format: 'jwk' }) as Record<string, unknown>)
    return { ...jwk, kid: `${year}`, x5c: [certificate.raw.toString('base64')] }
  }
  await using at = await endpoint({}, [published(2024), published(2031), first])
  assert.equal(at.built.metrics.readings.has('gw_secret_not_after_seconds'), false)
  await at.kids()
  const { labels, read } = at.built.metrics.readings.get('gw_secret_not_after_seconds')!
  assert.equal(labels?.['secret'], 'any')
  assert.equal(read(), Date.UTC(2031, 0) / 1000)
})
