import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compactDecrypt, EncryptJWT } from 'jose'
import { providerOf, Secret } from '#contracts'
import { groovyValue } from '#test/groovy-script'
import { keyPairs, storeOfKeys, symmetricKey } from '#test/token-secrets'

const secrets = providerOf([
  storeOfKeys({
    rsa: [new Secret({ secretId: 'rsa', key: keyPairs.rsa.privateKey, stableId: 'rsa-1' })],
    ec: [new Secret({ secretId: 'ec', key: keyPairs.p256.privateKey })],
    aes: [new Secret({ secretId: 'aes', key: symmetricKey(32) })],
  }),
])

const IMPORTS = `
  import org.forgerock.json.jose.builders.JwtBuilderFactory
  import org.forgerock.json.jose.common.JwtReconstruction
  import org.forgerock.json.jose.exceptions.*
  import org.forgerock.json.jose.jwe.*
  `

for (const [id, algorithm, method, alg, enc] of [
  ['rsa', 'RSA_OAEP_256', 'A128CBC_HS256', 'RSA-OAEP-256', 'A128CBC-HS256'],
  ['ec', 'ECDH_ES', 'A256GCM', 'ECDH-ES', 'A256GCM'],
  ['aes', 'DIRECT', 'A256GCM', 'dir', 'A256GCM'],
  ['aes', 'A256KW', 'A192CBC_HS384', 'A256KW', 'A192CBC-HS384'],
] as const) {
  test(`${alg} with ${enc}: encrypted tokens are read by another library, and the other way`, async () => {
    const source = `${IMPORTS}
      def key = secrets.get('${id}')
      def made = new JwtBuilderFactory().jwe(key).headers().alg(JweAlgorithm.${algorithm}).enc(EncryptionMethod.${method}).done()
        .claims([sub: 'ada']).build()
      def jwt = new JwtReconstruction().reconstructJwt(text, EncryptedJwt.class)
      def before = null
      try { jwt.claimsSet } catch (JweDecryptionException e) { before = e.message }
      jwt.decrypt(key)
      [made, jwt.claimsSet.subject, jwt.header.algorithm == JweAlgorithm.${algorithm}, jwt.header.encryptionMethod == EncryptionMethod.${method}, before]`
    const secret = await secrets.active({ secretId: id, purpose: 'DECRYPT' })
    const text = await new EncryptJWT({ sub: 'grace' })
      .setProtectedHeader({ alg, enc })
      .encrypt(secret.publicOrSecretKey!)
    const result = await groovyValue(source, { secrets, args: { text } })
    assert.ok(Array.isArray(result), String(result))
    const [made, ...others] = result as [string, ...unknown[]]
    assert.deepEqual(others, ['grace', true, true, 'the token is encrypted; call decrypt(key) first'])
    const { plaintext, protectedHeader } = await compactDecrypt(made, secret.privateOrSecretKey!)
    assert.equal(Buffer.from(plaintext).toString(), '{"sub":"ada"}')
    assert.deepEqual(
      [protectedHeader.alg, protectedHeader.enc, protectedHeader.kid],
      [alg, enc, secret.stableId ?? undefined],
    )
  })
}

test('a token of another key, and a missing algorithm, are exceptions', async () => {
  const text = await new EncryptJWT({})
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM' })
    .encrypt(keyPairs.otherRsa.publicKey)
  const failed = (code: string) =>
    groovyValue(`${IMPORTS} try { ${code} } catch (JweException e) { e.class.simpleName + ': ' + e.message }`, {
      secrets,
      args: { text },
    })
  const read = 'new JwtReconstruction().reconstructJwt(text, EncryptedJwt.class)'
  assert.equal(
    await failed(`${read}.decrypt(secrets.get('rsa'))`),
    'JweDecryptionException: the token can not be decrypted',
  )
  assert.match(
    String(await failed("new JwtBuilderFactory().jwe(secrets.get('rsa')).claims([:]).build()")),
    /^JweEncryptionException: set the algorithm by alg/,
  )
  assert.match(
    String(
      await failed(
        "new JwtBuilderFactory().jwe(secrets.get('rsa')).headers().alg(JweAlgorithm.DIRECT).enc(EncryptionMethod.A256GCM).done().claims([:]).build()",
      ),
    ),
    /^JweEncryptionException: .*can not encrypt by dir; its key is one for RSA-OAEP/,
  )
})
