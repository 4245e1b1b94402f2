import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { jwtVerify, SignJWT } from 'jose'
import { providerOf, Secret } from '#contracts'
import { groovyValue } from '#test/groovy-script'
import { keyPairs, rawToken, storeOfKeys, symmetricKey } from '#test/token-secrets'

const IMPORTS = `
  import org.forgerock.json.jose.builders.JwtBuilderFactory
  import org.forgerock.json.jose.common.JwtReconstruction
  import org.forgerock.json.jose.exceptions.*
  import org.forgerock.json.jose.jws.*
  import org.forgerock.json.jose.jwt.JwtClaimsSet
  def manager = new SigningManager()
  def read = { text -> new JwtReconstruction().reconstructJwt(text, SignedJwt.class) }
  `
const HMAC = `${IMPORTS} def handler = manager.newHmacSigningHandler(key.getBytes('UTF-8'))\n`

const hmacToken = (claims: object, key: string, alg = 'HS256'): string =>
  rawToken({ alg, kid: 'k' }, claims, (text) => createHmac('sha256', key).update(text).digest())

const secret = (secretId: string, key: Secret['privateOrSecretKey'], stableId: string | null = null): Secret[] => [
  new Secret({ secretId, key: key!, stableId }),
]

const secrets = providerOf([
  storeOfKeys({
    rsa: secret('rsa', keyPairs.rsa.privateKey, 'rsa-1'),
    'rsa.public': secret('rsa.public', keyPairs.rsa.publicKey),
    'rsa.rotated': [
      new Secret({ secretId: 'rsa.rotated', key: keyPairs.otherRsa.privateKey, stableId: 'new' }),
      new Secret({ secretId: 'rsa.rotated', key: keyPairs.rsa.privateKey, stableId: 'old' }),
    ],
    p256: secret('p256', keyPairs.p256.privateKey),
    p384: secret('p384', keyPairs.p384.privateKey),
    p521: secret('p521', keyPairs.p521.privateKey),
    ed: secret('ed', keyPairs.ed25519.privateKey),
    hmac: secret('hmac', symmetricKey(64)),
    short: secret('short', symmetricKey(8)),
    password: [new Secret({ secretId: 'password', bytes: Buffer.from('correct horse') })],
    'down.id': null,
  }),
])

/** Algorithms with a secret id, the method of the manager and the keys. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => [alg, 'rsa', 'newRsaSigningHandler'] as const),
  ['ES256', 'p256', 'newEcdsaSigningHandler'],
  ['ES384', 'p384', 'newEcdsaSigningHandler'],
  ['ES512', 'p521', 'newEcdsaVerificationHandler'],
  ['EdDSA', 'ed', 'newEdDsaSigningHandler'],
  ['Ed25519', 'ed', 'newSigningHandler'],
  ['HS256', 'hmac', 'newHmacSigningHandler'],
  ['HS384', 'hmac', 'newSigningHandler'],
  ['HS512', 'hmac', 'newVerificationHandler'],
] as const

const keyOf = async (id: string) => (await secrets.active({ secretId: id, purpose: 'SIGN' })).publicOrSecretKey!

for (const [alg, id, method] of ALGORITHMS) {
  test(`${alg}: tokens of scripts are verified by another library, and the other way`, async () => {
    const source = `${IMPORTS}
      def handler = manager.${method}(secrets.get('${id}'))
      def made = new JwtBuilderFactory().jws(handler).headers().alg(JwsAlgorithm.${alg}).done()
        .claims(new JwtBuilderFactory().claims().sub('ada').claim('n', 9007199254740993L).build()).build()
      def jwt = read(text)
      [made, read(made).verify(handler), jwt.verify(handler), jwt.claimsSet.subject, jwt.header.algorithm == JwsAlgorithm.${alg},
       read(text.substring(0, text.lastIndexOf('.') + 1) + 'AAAA').verify(handler)]`
    const { privateOrSecretKey } = await secrets.active({ secretId: id, purpose: 'SIGN' })
    const text = await new SignJWT({ sub: 'grace' }).setProtectedHeader({ alg }).sign(privateOrSecretKey!)
    const result = await groovyValue(source, { secrets, args: { text } })
    assert.ok(Array.isArray(result), String(result))
    const [made, ...others] = result as [string, ...unknown[]]
    assert.deepEqual(others, [true, true, 'grace', true, false])
    const { payload, protectedHeader } = await jwtVerify(made, await keyOf(id))
    assert.equal(payload.sub, 'ada')
    assert.deepEqual(protectedHeader, { typ: 'JWT', alg, ...(id === 'rsa' && { kid: 'rsa-1' }) })
    assert.match(Buffer.from(made.split('.')[1]!, 'base64url').toString(), /"n":9007199254740993\b/)
  })
}

test('a token is read without verifying it, and verified with a key of bytes', async () => {
  const source = `${HMAC}
    def jwt = read(text)
    def claims = jwt.claimsSet
    [claims.subject, claims.getClaim('n'), claims.get('list').asList(), claims.isDefined('none'), claims.audience,
     jwt.header.algorithm.toString(), jwt.header.keyId, jwt.verify(handler), jwt.build() == text]`
  const claims = { sub: 'u', n: 1.5, list: [1], aud: 'a' }
  const good = { args: { text: hmacToken(claims, 'secret'), key: 'secret' } }
  assert.deepEqual(await groovyValue(source, good), ['u', 1.5, [1], false, ['a'], 'HS256', 'k', true, true])
  const bad = { args: { text: hmacToken(claims, 'other'), key: 'secret' } }
  assert.equal(((await groovyValue(source, bad)) as unknown[])[7], false)
  const none = { args: { text: rawToken({ alg: 'none' }, claims), key: 'secret' } }
  assert.equal(((await groovyValue(source, none)) as unknown[])[7], false)
})

test('claims have the types of the Java class', async () => {
  const source = `${IMPORTS}
    def claims = new JwtClaimsSet([exp: 5, nbf: 6, iss: 'i', custom: 1])
    claims.addAudience('a')
    def one = claims.build()
    claims.addAudience('b')
    claims.setIssuedAtTime(new Date(9000))
    [one, claims.toString(), claims.expirationTime.time, claims.getClaim('exp').class.simpleName, claims.get('exp').asLong(),
     claims.getClaim('exp', Long.class), claims.keys(), claims.custom, claims.jwtId, claims.getClaim('none'), claims.audience]`
  assert.deepEqual(await groovyValue(source), [
    '{"exp":5,"nbf":6,"iss":"i","custom":1,"aud":"a"}',
    '{"exp":5,"nbf":6,"iss":"i","custom":1,"aud":["a","b"],"iat":9}',
    5000,
    'Date',
    5,
    5,
    ['exp', 'nbf', 'iss', 'custom', 'aud', 'iat'],
    1,
    null,
    null,
    ['a', 'b'],
  ])
})

test('a token is built with header members and times', async () => {
  const source = `${HMAC}
    def claims = new JwtBuilderFactory().claims().iss('me').sub('u').aud(['x']).exp(new Date(5000)).claim('roles', ['a'])
      .claim('at', new Date(7000)).build()
    def jwt = new JwtBuilderFactory().jws(handler).headers().alg(JwsAlgorithm.HS256).kid('k').cty('JWT').header('x', [1])
      .headerIfNotNull('y', null).done().claims(claims).asJwt()
    [jwt.build(), jwt.verify(handler), jwt.header.toString(), jwt.claimsSet.build()]`
  const [made, ...others] = (await groovyValue(source, { args: { key: 'secret' } })) as [string, ...unknown[]]
  const header = '{"typ":"JWT","alg":"HS256","kid":"k","cty":"JWT","x":[1]}'
  const claims = '{"iss":"me","sub":"u","aud":"x","exp":5,"roles":["a"],"at":7000}'
  assert.deepEqual(others, [true, header, claims])
  assert.equal((await jwtVerify(made, Buffer.from('secret'), { currentDate: new Date(0) })).payload.sub, 'u')
})

test('a token that is malformed or of another form is an InvalidJwtException', async () => {
  const source = `${IMPORTS} try { read(text); 'read' } catch (InvalidJwtException e) { e.message }`
  const encrypted = rawToken({ alg: 'dir', enc: 'A256GCM' }, {}).replace(/\.$/, '.AA.AA.AA')
  for (const [text, expected] of [
    ['x.y', /not a JSON Web Token in compact form/],
    ['x.y.z', /header of the token is not/],
    [rawToken({ alg: 'HS256', crit: ['b64'] }, {}), /requires extensions \(crit\)/],
    [rawToken({ alg: 'HS256' }, '[1]'), /not a JSON object/],
    [`${rawToken({ alg: 'HS256' }, {})}=`, /base64url/],
    [encrypted, /expected a signed token, got an encrypted one/],
  ] as const) {
    assert.match(String(await groovyValue(source, { args: { text } })), expected)
  }
})

test('a key of one kind is never used as another', async () => {
  const pem = keyPairs.rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const der = keyPairs.rsa.publicKey.export({ type: 'spki', format: 'der' })
  const confused = (key: string | Buffer) =>
    rawToken({ alg: 'HS256' }, { sub: 'admin' }, (text) => createHmac('sha256', key).update(text).digest())
  const attempts = `${IMPORTS}
    def attempt = { c -> try { c() } catch (IllegalArgumentException | JwtRuntimeException e) { e.class.simpleName + ': ' + e.message } }
    [attempt { read(text).verify(manager.newVerificationHandler(secrets.get('rsa.public'))) },
     attempt { read(text).verify(manager.newRsaSigningHandler(secrets.get('rsa.public'))) },
     attempt { manager.newHmacSigningHandler(secrets.get('rsa.public')) },
     attempt { manager.newHmacSigningHandler(pem.bytes) },
     attempt { manager.newHmacSigningHandler(der.decodeBase64()) },
     attempt { manager.newEcdsaSigningHandler(secrets.get('rsa')) },
     attempt { manager.newRsaSigningHandler(secrets.get('hmac')) },
     attempt { manager.newSigningHandler(secrets.get('short')) },
     attempt { manager.newSigningHandler(secrets.get('password')) },
     attempt { manager.newSigningHandler('text') }]`
  const expected = [
    false,
    false,
    /^IllegalArgumentException: the key "rsa.public" is not a key of HMAC: it is one for RS256/,
    /^IllegalArgumentException: the key is a public one/,
    /^IllegalArgumentException: the key is a public one/,
    /^IllegalArgumentException: the key "rsa" is not a key of ECDSA/,
    /^IllegalArgumentException: the key "hmac" is not a key of RSA: it is one for HS256/,
    /^IllegalArgumentException: the key "short" is not a key of signatures: a key of HS256 needs at least 32 bytes/,
    /^IllegalArgumentException: the key "password" is not a key of signatures: it is a password, not a key/,
    /^IllegalArgumentException: expected a Key or a secret of secrets\.get, got java\.lang\.String/,
  ]
  for (const key of [pem, der]) {
    const args = { text: confused(key), pem, der: der.toString('base64') }
    const results = (await groovyValue(attempts, { secrets, args })) as unknown[]
    assert.ok(Array.isArray(results), String(results))
    results.forEach((result, at) => {
      const wanted = expected[at]
      if (wanted instanceof RegExp) assert.match(String(result), wanted)
      else assert.equal(result, wanted, String(at))
    })
  }
})

test('the algorithm none signs and verifies nothing', async () => {
  const source = `${IMPORTS}
    def sign = { handler, algorithm ->
      try { new JwtBuilderFactory().jws(handler).headers().alg(algorithm).done().claims([:]).build() }
      catch (JwsSigningException e) { e.message }
    }
    def none = read(text)
    def handlers = [manager.newHmacSigningHandler('x'.bytes), manager.newSigningHandler(secrets.get('rsa'))]
    handlers.collectMany { [sign(it, JwsAlgorithm.NONE), sign(it, 'none'), none.verify(it)] } + [none.header.algorithm == JwsAlgorithm.NONE]`
  const key =
    'the key "rsa" can not sign by an unknown algorithm, or none; it is one for RS256, RS384, RS512, PS256, PS384, PS512'
  assert.deepEqual(await groovyValue(source, { secrets, args: { text: rawToken({ alg: 'none' }, {}) } }), [
    'a shared key can not sign by none',
    'a shared key can not sign by none',
    false,
    key,
    key,
    false,
    true,
  ])
  assert.match(
    String(await groovyValue(`${IMPORTS} manager.newNopSigningHandler()`)),
    /test\.groovy:\d+:\d+: .*SigningManager has no method newNopSigningHandler/,
  )
})

test('an algorithm that is not one of the key is refused', async () => {
  const source = `${IMPORTS}
    new JwtBuilderFactory().jws(manager.newSigningHandler(secrets.get('rsa'))).headers().alg(JwsAlgorithm.ES256).done().claims([:]).build()`
  assert.match(
    String(await groovyValue(source, { secrets })),
    /ScriptError: test\.groovy:\d+:\d+: .*JwsSigningException: the key "rsa" can not sign by ES256; it is one for RS256/,
  )
  const unsigned = `${IMPORTS}
    new JwtBuilderFactory().jws(manager.newSigningHandler(secrets.get('rsa.public'))).claims([:]).build()`
  assert.match(String(await groovyValue(unsigned, { secrets })), /JwsSigningException: .*it has no private key/)
})

test('tokens of a rotated key are verified with every key of the id', async () => {
  const source = `${IMPORTS} read(text).verify(manager.newVerificationHandler(secrets.get('rsa.rotated')))`
  const signed = (kid: string | null, key = keyPairs.rsa.privateKey) =>
    new SignJWT({}).setProtectedHeader({ alg: 'RS256', ...(kid !== null && { kid }) }).sign(key)
  const verify = async (text: string) => groovyValue(source, { secrets, args: { text } })
  assert.equal(await verify(await signed('old')), true)
  assert.equal(await verify(await signed(null)), true)
  assert.equal(await verify(await signed('new')), false, 'the kid selects the key')
})

test('a password of a store is a shared key by its bytes', async () => {
  const source = `${IMPORTS} read(text).verify(manager.newHmacSigningHandler(secrets.get('password')))`
  assert.equal(await groovyValue(source, { secrets, args: { text: hmacToken({}, 'correct horse') } }), true)
  assert.equal(await groovyValue(source, { secrets, args: { text: hmacToken({}, 'wrong horse') } }), false)
})

test('keys of a pair come from their encodings', async () => {
  const source = `${IMPORTS}
    import java.security.KeyFactory
    import java.security.interfaces.RSAPublicKey
    import java.security.spec.*
    def factory = KeyFactory.getInstance('RSA')
    def privateKey = factory.generatePrivate(new PKCS8EncodedKeySpec(pkcs8.decodeBase64()))
    RSAPublicKey publicKey = (RSAPublicKey) factory.generatePublic(new X509EncodedKeySpec(spki.decodeBase64()))
    def made = new JwtBuilderFactory().jws(manager.newRsaSigningHandler(privateKey)).headers().alg(JwsAlgorithm.RS256).done().claims([a: 1]).build()
    def failed = { c -> try { c() } catch (java.security.GeneralSecurityException e) { e.class.simpleName } }
    [made, read(made).verify(manager.newRsaSigningHandler(publicKey)), publicKey.algorithm, publicKey.encoded.encodeBase64().toString() == spki,
     failed { KeyFactory.getInstance('EC').generatePublic(new X509EncodedKeySpec(spki.decodeBase64())) },
     failed { factory.generatePrivate(new PKCS8EncodedKeySpec('x'.bytes)) },
     failed { KeyFactory.getInstance('XYZ') },
     failed { javax.crypto.Mac.getInstance('HmacSHA256').init(publicKey) }]`
  const pkcs8 = keyPairs.rsa.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  const spki = keyPairs.rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const result = await groovyValue(source, { args: { pkcs8, spki } })
  assert.ok(Array.isArray(result), String(result))
  const [made, ...others] = result as [string, ...unknown[]]
  assert.deepEqual(others, [
    true,
    'RSA',
    true,
    'InvalidKeySpecException',
    'InvalidKeySpecException',
    'NoSuchAlgorithmException',
    'InvalidKeyException',
  ])
  assert.equal((await jwtVerify(made, keyPairs.rsa.publicKey)).payload['a'], 1)
})

test('an algorithm is found by its name in headers', async () => {
  const source = `${IMPORTS} [JwsAlgorithm.parseAlgorithm('RS256'), JwsAlgorithm.getJwsAlgorithm('none')].collect { it.name() }`
  assert.deepEqual(await groovyValue(source), ['RS256', 'NONE'])
  assert.match(String(await groovyValue(`${IMPORTS} JwsAlgorithm.parseAlgorithm('x')`)), /Unknown JwsAlgorithm, x/)
})
