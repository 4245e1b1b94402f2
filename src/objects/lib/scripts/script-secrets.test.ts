// `secrets` of scripts, and the checks at load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, exportJWK, jwtVerify, SignJWT } from 'jose'
import { providerOf, Secret } from '#contracts'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import { ConfigError } from '#schema'
import { build } from '#test/build'
import { resultOf, scriptOf } from '#test/evaluate-script'
import { groovyValue } from '#test/groovy-script'
import { keyPairs, storeOfKeys, symmetricKey, testKeysType } from '#test/token-secrets'
import { ScriptableHandler } from '../../handlers/scriptable/scriptable-handler.ts'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'

const PASSWORD = 'correct horse battery staple'

const byId = {
  'jwt.rsa': [new Secret({ secretId: 'jwt.rsa', stableId: 'rsa-1', key: keyPairs.rsa.privateKey })],
  'jwt.ec': [new Secret({ secretId: 'jwt.ec', key: keyPairs.p256.privateKey })],
  'jwt.ed': [new Secret({ secretId: 'jwt.ed', key: keyPairs.ed25519.privateKey })],
  'jwt.hmac': [new Secret({ secretId: 'jwt.hmac', key: symmetricKey(32) })],
  'jwt.public': [new Secret({ secretId: 'jwt.public', key: keyPairs.rsa.publicKey })],
  password: [new Secret({ secretId: 'password', bytes: Buffer.from(PASSWORD) })],
  rotated: ['new', 'old'].map((text) => new Secret({ secretId: 'rotated', bytes: Buffer.from(text) })),
  'down.id': null,
}
const secrets = providerOf([storeOfKeys(byId)])

const LANGUAGES = {
  'application/javascript': 'javascript',
  'application/typescript': 'typescript',
  'application/x-groovy': 'groovy',
} as const

/** The problems of a handler with this script at load. */
async function problemsOf(config: JsonObject, properties: JsonObject = {}): Promise<string[]> {
  try {
    await using _built = await build<Handler>(ScriptableHandler, config, {
      properties,
      types: [StaticResponseHandler, testKeysType(byId)],
      heap: [
        { name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } },
        { name: 'Keys', type: 'TestKeys', config: {} },
      ],
    })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
    throw error
  }
}

for (const type of Object.keys(LANGUAGES)) {
  const call = type === 'application/x-groovy' ? 'def key = secrets' : 'const key = await secrets'

  test(`${type}: secrets without a provider is rejected at load with its position`, async () => {
    const source = ['// secrets.get("in a comment")', "const text = 'x'", `${call}.get('jwt.rsa')`]
    if (type === 'application/x-groovy') source[1] = "def text = 'x'"
    const column = call.indexOf('secrets') + 1
    assert.deepEqual(await problemsOf({ type, source }), [
      `/heap/0/config/source/2: the script can not be compiled: line 3, column ${column}: secrets.get: the object of this script has no secretsProvider; add one to its configuration`,
    ])
    assert.deepEqual(await problemsOf({ type, source, secretsProvider: 'Keys' }), [])
    assert.deepEqual(await problemsOf({ type, source }, { secrets: { get: 1 } }), [], 'a property of that name')
  })

  test(`${type}: an invalid secret id is rejected at load with its position`, async () => {
    const source = [`${call}.get('jwt rsa')`, 'logger.info(\'secrets.get("a b")\')']
    const column = call.indexOf('secrets') + 1
    assert.deepEqual(await problemsOf({ type, source, secretsProvider: 'Keys' }), [
      `/heap/0/config/source/0: the script can not be compiled: line 1, column ${column}: secrets.get: expected a secret id: letters, digits, "-" and "_" in words joined by dots, got "jwt rsa"`,
    ])
  })

  test(`${type}: a variable of the script named secrets is its own`, async () => {
    const source =
      type === 'application/x-groovy'
        ? 'def secrets = [a: 1]; secrets.get("a b")'
        : 'const secrets = new Map(); secrets.get("a b")'
    assert.deepEqual(await problemsOf({ type, source }), [])
  })

  test(`${type}: an argument can not be named secrets`, async () => {
    const [problem = ''] = await problemsOf({ type, source: '1', args: { secrets: 1 } })
    assert.match(problem, /^\/heap\/0\/config\/args\/secrets: scripts have something else of this name/)
  })
}

test('a computed id is checked by the call', async () => {
  const failed = async (source: string) => resultOf(source, { secrets }).then(String, String)
  assert.match(await failed("const id = 'a b'; await secrets.get(id)"), /test\.js:1:\d+: .*expected a secret id/)
  assert.match(await failed("await secrets.get('unknown')"), /no secret store knows the secret id "unknown"/)
  assert.match(await failed("await secrets.get('down.id')"), /the store can not serve "down\.id"/)
  const groovy = (source: string) => groovyValue(source, { secrets })
  assert.match(String(await groovy('def id = "a b"\nsecrets.get(id)')), /expected a secret id/)
  assert.match(String(await groovy("secrets.get('unknown')")), /no secret store knows the secret id "unknown"/)
  assert.match(String(await groovy("try { secrets.get('unknown') } catch (IOException e) { 'caught' }")), /caught/)
})

test('a secret shows no value', async () => {
  const source = `const password = await secrets.get('password'); const key = await secrets.get('jwt.rsa')
    logger.info('{} {}', password, key)
    attributes.x = { password }
    return [String(password), JSON.stringify({ key }), Object.keys(password), password + '', attributes.x]`
  const script = scriptOf(source, { secrets })
  const shown = JSON.stringify(await script.evaluate())
  assert.equal(
    shown,
    JSON.stringify([
      '[redacted]',
      '{"key":"[redacted]"}',
      ['secretId', 'signJwt', 'verifyJwt', 'matches', 'toString', 'toJSON'],
      '[redacted]',
      { password: '[redacted]' },
    ]),
  )
  const log = JSON.stringify(script.log.lines)
  assert.match(log, /redacted/)
  for (const text of [log, shown]) assert.doesNotMatch(text, /correct horse|PRIVATE/)
})

test('a secret of a Groovy script shows no value, and is no data', async () => {
  const source = `
    import groovy.json.JsonOutput
    def secret = secrets.get('password')
    logger.info('{} {}', secret, [secret])
    println secret
    [secret.toString(), "\${secret}".toString(), JsonOutput.toJson([s: secret]), [secret].toString(), secret.secretId, '' + secret]`
  const script = scriptOf(source, { secrets, language: 'groovy' })
  const shown = String(JSON.stringify(await script.evaluate().catch(String)))
  assert.match(shown, /redacted/)
  for (const text of [shown, JSON.stringify(script.log.lines)])
    assert.doesNotMatch(text, /correct horse|PRIVATE|Secret\(/)
  for (const use of ['secret', '[a: secret]', 'attributes.x = secret', "session.y = [secret]; ''"]) {
    const result = String(await groovyValue(`def secret = secrets.get('password')\n${use}`, { secrets }))
    assert.match(result, /a secret can not be passed to the gateway as data/, use)
  }
  const header = await groovyValue(`request.headers['X'] = secrets.get('password'); request.headers.getFirst('X')`, {
    secrets,
  })
  assert.equal(header, '[redacted]')
})

test('a text is compared with the passwords of an id, in every language', async () => {
  const texts = [PASSWORD, `${PASSWORD} `, PASSWORD.slice(0, -1), '', '[redacted]', null]
  const expected = [true, false, false, false, false, false]
  const script = `const secret = await secrets.get('password')
    return Promise.all(args.texts.map((text) => secret.matches(text)))`
  assert.deepEqual(await resultOf(script.replace('args.', ''), { secrets, args: { texts } }), expected)
  const groovy = "def secret = secrets.get('password')\ntexts.collect { secret.matches(it) }"
  assert.deepEqual(await groovyValue(groovy, { secrets, args: { texts } }), expected)
  const rotated = "def secret = secrets.get('rotated')\n['new', 'old', 'older'].collect { secret.matches(it) }"
  assert.deepEqual(await groovyValue(rotated, { secrets }), [true, true, false])
  const gstring = "def name = 'new'; secrets.get('rotated').matches(\"${name}\") ? 'yes' : 'no'"
  assert.equal(await groovyValue(gstring, { secrets }), 'yes')
})

test('a key is no password, and a list is no text', async () => {
  const failed = async (source: string) => resultOf(source, { secrets }).then(String, String)
  assert.match(
    await failed("return (await secrets.get('jwt.rsa')).matches('x')"),
    /"jwt\.rsa" can not serve GENERIC: it is a key, not a password/,
  )
  assert.match(await failed("return (await secrets.get('password')).matches(['x'])"), /matches: expected a text/)
  const groovy = String(await groovyValue("secrets.get('jwt.rsa').matches('x')", { secrets }))
  assert.match(groovy, /it is a key, not a password/)
})

test('JavaScript signs with the algorithm of the key, and verifies', async () => {
  const algorithms = { 'jwt.rsa': 'RS256', 'jwt.ec': 'ES256', 'jwt.ed': 'EdDSA', 'jwt.hmac': 'HS256' }
  for (const [id, alg] of Object.entries(algorithms)) {
    const source = `const key = await secrets.get('${id}')
      const token = await key.signJwt({ sub: 'ada', big: 9007199254740993n })
      return [token, await key.verifyJwt(token), await key.verifyJwt(token.slice(0, -8) + 'AAAAAAAA'), await key.verifyJwt('x.y')]`
    const [token, verified, forged, malformed] = (await resultOf(source, { secrets })) as [
      string,
      JsonObject,
      null,
      null,
    ]
    const key = byId[id as 'jwt.rsa'][0]?.publicOrSecretKey
    const { payload, protectedHeader } = await jwtVerify(token, key!)
    assert.equal(payload.sub, 'ada')
    assert.equal(protectedHeader.alg, alg)
    assert.equal(protectedHeader.kid, id === 'jwt.rsa' ? 'rsa-1' : undefined)
    assert.deepEqual([verified['header'], forged, malformed], [{ ...protectedHeader }, null, null])
    assert.match(Buffer.from(token.split('.')[1]!, 'base64url').toString(), /"big":9007199254740993\b/)
  }
})

test('JavaScript chooses algorithm and header of a token', async () => {
  const source = `const key = await secrets.get('jwt.rsa')
    return key.signJwt({ a: 1 }, { algorithm: 'PS512', header: { typ: 'at+jwt', kid: 'k2', alg: 'none', x: [1] } })`
  const token = String(await resultOf(source, { secrets }))
  const { protectedHeader } = await jwtVerify(token, keyPairs.rsa.publicKey)
  assert.deepEqual(protectedHeader, { typ: 'at+jwt', kid: 'k2', x: [1], alg: 'PS512' })
  const set = createLocalJWKSet({ keys: [{ ...(await exportJWK(keyPairs.rsa.publicKey)), kid: 'k2', alg: 'PS512' }] })
  assert.equal((await jwtVerify(token, set)).payload['a'], 1)
})

test('JavaScript verifies tokens of another library, unless they are out of date', async () => {
  const now = 1_700_000_000
  const token = (exp: number) =>
    new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'RS256' })
      .setExpirationTime(exp)
      .sign(keyPairs.rsa.privateKey)
  const verify = async (text: string) =>
    resultOf("const key = await secrets.get('jwt.public'); return key.verifyJwt(token)", {
      secrets,
      token: text,
      clock: { now: () => now * 1_000 },
    })
  assert.deepEqual(await verify(await token(now + 1)), {
    header: { alg: 'RS256' },
    claims: { sub: 'ada', exp: now + 1 },
  })
  assert.equal(await verify(await token(now)), null)
  const other = await new SignJWT({}).setProtectedHeader({ alg: 'RS256' }).sign(keyPairs.otherRsa.privateKey)
  assert.equal(await verify(other), null)
})

test('a public key is not used as a shared one, and none is refused', async () => {
  const pem = keyPairs.rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const confused = await new SignJWT({ sub: 'admin' }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(pem))
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`
  const source = "const key = await secrets.get('jwt.public'); return key.verifyJwt(token)"
  assert.equal(await resultOf(source, { secrets, token: confused }), null)
  assert.equal(await resultOf(source, { secrets, token: none }), null)
  const failed = async (call: string) =>
    resultOf(`const key = await secrets.get('jwt.rsa'); return ${call}`, { secrets }).then(String, String)
  assert.match(await failed("key.signJwt({}, { algorithm: 'none' })"), /expected an algorithm of RS256,/)
  assert.match(
    await failed("key.signJwt({}, { algorithm: 'HS256' })"),
    /can not sign by HS256; its key is one for RS256/,
  )
  assert.match(await failed("key.signJwt({}, { alg: 'RS256' })"), /unknown option "alg"/)
  assert.match(await failed('key.signJwt("x")'), /expected an object of claims/)
})

test('a secret that can not sign or verify is an error with its reason', async () => {
  const failed = async (source: string) => resultOf(source, { secrets }).then(String, String)
  const password = "const key = await secrets.get('password');"
  assert.match(
    await failed(`${password} return key.signJwt({})`),
    /password.* can not sign: it is a password, not a key/,
  )
  assert.match(await failed(`${password} return key.verifyJwt('e30.e30.e30')`), /null|password/)
  assert.match(await failed("return (await secrets.get('jwt.public')).signJwt({})"), /it has no private key/)
})
