import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { groovyValue } from '#test/groovy-script'

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function token(claims: object, key: string, alg = 'HS256'): string {
  const text = `${part({ alg, kid: 'k' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

const IMPORTS = `
  import org.forgerock.json.jose.builders.JwtBuilderFactory
  import org.forgerock.json.jose.common.JwtReconstruction
  import org.forgerock.json.jose.jws.*
  import org.forgerock.json.jose.jwt.JwtClaimsSet
  def handler = new SigningManager().newHmacSigningHandler(key.getBytes('UTF-8'))
  `

test('a token is read without verifying it, and verified with a key', async () => {
  const source = `${IMPORTS}
    def jwt = new JwtReconstruction().reconstructJwt(text, SignedJwt.class)
    def claims = jwt.claimsSet
    [claims.subject, claims.getClaim('n'), claims.get('list').asList(), claims.isDefined('none'), claims.audience, jwt.header.algorithm,
     jwt.header.keyId, jwt.verify(handler), jwt.build() == text]`
  const claims = { sub: 'u', n: 1.5, list: [1], aud: 'a' }
  const good = { args: { text: token(claims, 'secret'), key: 'secret' } }
  assert.deepEqual(await groovyValue(source, good), ['u', 1.5, [1], false, ['a'], 'HS256', 'k', true, true])
  const bad = { args: { text: token(claims, 'other'), key: 'secret' } }
  assert.equal(((await groovyValue(source, bad)) as unknown[])[7], false)
  const none = { args: { text: `${part({ alg: 'none' })}.${part(claims)}.`, key: 'secret' } }
  assert.equal(((await groovyValue(source, none)) as unknown[])[7], false)
  assert.match(String(await groovyValue(source, { args: { text: 'x.y', key: 'k' } })), /not a signed JWT/)
})

test('times of claims are dates', async () => {
  const source = `${IMPORTS}
    def claims = new org.forgerock.json.jose.jwt.JwtClaimsSet([exp: 5])
    claims.setIssuedAtTime(new Date(2500))
    claims.addAudience('a')
    claims.addAudience('b')
    [claims.expirationTime.time, claims.notBeforeTime, claims.getClaim('iat'), claims.audience]`
  assert.deepEqual(await groovyValue(source, { args: { key: 'secret' } }), [5_000, null, 2, ['a', 'b']])
})

test('a token is built and signed', async () => {
  const source = `${IMPORTS}
    def claims = new JwtBuilderFactory().claims().iss('me').sub('u').exp(new Date(5000)).claim('roles', ['a']).build()
    new JwtBuilderFactory().jws(handler).headers().alg(JwsAlgorithm.HS256).kid('k').done().claims(claims).build()`
  const made = String(await groovyValue(source, { args: { key: 'secret' } }))
  const [header = '', claims = '', signature] = made.split('.')
  const json = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString())
  assert.deepEqual(json(header), { typ: 'JWT', alg: 'HS256', kid: 'k' })
  assert.deepEqual(json(claims), { iss: 'me', sub: 'u', exp: 5, roles: ['a'] })
  assert.equal(signature, createHmac('sha256', 'secret').update(`${header}.${claims}`).digest('base64url'))
})
