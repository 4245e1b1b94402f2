import assert from 'node:assert/strict'
import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { runGroovy } from '../../testing/run-groovy.ts'

const pairs = {
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EC: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
}

const PREAMBLE = `
  import java.security.*
  import java.security.spec.*
  def bytes = { String text -> Base64.decoder.decode(text) }
  def publicKey = { String kind, String text -> KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(bytes(text))) }
  def privateKey = { String kind, String text -> KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(bytes(text))) }
  `
const spki = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('base64')
const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'der' }).toString('base64')
const result = async (source: string): Promise<string> => (await runGroovy(PREAMBLE + source)).text
const failure = async (source: string): Promise<string> => runGroovy(PREAMBLE + source).then(() => 'no failure', String)

for (const [algorithm, kind, digest, pss] of [
  ['SHA256withRSA', 'RSA', 'sha256', false],
  ['SHA512withRSA', 'RSA', 'sha512', false],
  ['SHA256withRSAandMGF1', 'RSA', 'sha256', true],
  ['SHA256withECDSA', 'EC', 'sha256', false],
  ['SHA384withECDSA', 'EC', 'sha384', false],
  ['Ed25519', 'EdDSA', null, false],
] as const)
  test(`${algorithm}: signatures of others are verified, and own ones; others are not`, async () => {
    const { publicKey, privateKey } = pairs[kind]
    const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}
    const made = sign(digest, Buffer.from('hello'), { key: privateKey, ...padding }).toString('base64')
    const source = `
      def key = publicKey('${kind}', '${spki(publicKey)}')
      def verify = { String text, byte[] signature ->
        def verifier = Signature.getInstance('${algorithm}')
        verifier.initVerify(key); verifier.update(text.bytes)
        verifier.verify(signature)
      }
      def signer = Signature.getInstance('${algorithm}')
      signer.initSign(privateKey('${kind}', '${pkcs8(privateKey)}')); signer.update('xhelloy'.bytes, 1, 5)
      [verify('hello', bytes('${made}')), verify('hello', signer.sign()), verify('hallo', bytes('${made}')),
       verify('hello', new byte[0]), verify('hello', 'x'.bytes), verify('hello', new byte[64])]`
    assert.equal(await result(source), '[true, true, false, false, false, false]')
  })

test('a key of RSA by its numbers verifies, as from a JWK set', async () => {
  const { publicKey, privateKey } = pairs.RSA
  const { n, e } = publicKey.export({ format: 'jwk' })
  const signature = sign('sha256', Buffer.from('a'), privateKey).toString('base64')
  const source = `
    def number = { String text -> new BigInteger(1, Base64.urlDecoder.decode(text)) }
    def key = KeyFactory.getInstance('RSA').generatePublic(new RSAPublicKeySpec(number('${n}'), number('${e}')))
    def verifier = Signature.getInstance('SHA256withRSA'); verifier.initVerify(key); verifier.update('a'.bytes)
    [verifier.verify(bytes('${signature}')), key.modulus == number('${n}'), key.publicExponent, key.algorithm]`
  assert.equal(await result(source), '[true, true, 65537, RSA]')
  for (const numbers of ['0G, 65537G', '-5G, 3G', '(1G << 20000) + 1G, 3G'])
    assert.match(
      await failure(`KeyFactory.getInstance('RSA').generatePublic(new RSAPublicKeySpec(${numbers}))`),
      /InvalidKeySpecException/,
    )
})

test('a key of another kind, an unknown algorithm and a missing init are exceptions', async () => {
  const rsa = `publicKey('RSA', '${spki(pairs.RSA.publicKey)}')`
  const wrong = `Signature.getInstance('SHA256withECDSA').initVerify(${rsa})`
  assert.match(await failure(wrong), /InvalidKeyException: expected a public key of EC/)
  assert.match(await failure(`Signature.getInstance('SHA256withRSA').initVerify('x')`), /InvalidKeyException/)
  for (const name of ['SHA1withRSA', 'MD5withRSA', 'NONEwithRSA', 'none', '']) {
    assert.match(
      await failure(`Signature.getInstance('${name}')`),
      /NoSuchAlgorithmException: .* Signature not available/,
    )
  }
  for (const call of ["update('a'.bytes)", "verify('a'.bytes)", 'sign()'])
    assert.match(await failure(`Signature.getInstance('SHA256withRSA').${call}`), /SignatureException: object not init/)
  const signed = `def s = Signature.getInstance('SHA256withRSA'); s.initVerify(${rsa}); s.sign()`
  assert.match(await failure(signed), /SignatureException: object not initialized for signing/)
})
