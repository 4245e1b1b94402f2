import assert from 'node:assert/strict'
import {
  constants,
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto'
import { test } from 'node:test'
import { runGroovy } from '../../testing/run-groovy.ts'

const PREAMBLE = `
  import javax.crypto.*
  import javax.crypto.spec.*
  import java.security.*
  import java.security.spec.*
  def bytes = { String text -> Base64.decoder.decode(text) }
  def base64 = { byte[] data -> Base64.encoder.encodeToString(data) }
  SecretKey key = new SecretKeySpec(new byte[32], 'AES')
  def vector = { int size -> new byte[size] }
  `
const result = async (source: string): Promise<string> => (await runGroovy(PREAMBLE + source)).text
const failure = async (source: string): Promise<string> => runGroovy(PREAMBLE + source).then(() => 'no failure', String)

const KEY = Buffer.alloc(32)
const TEXT = Buffer.from('some text of two blocks or three')

for (const [transformation, name, spec] of [
  ['AES/CBC/PKCS5Padding', 'aes-256-cbc', 'new IvParameterSpec(vector(16))'],
  ['AES/CTR/NoPadding', 'aes-256-ctr', 'new IvParameterSpec(vector(16))'],
  ['AES/ECB/PKCS5Padding', 'aes-256-ecb', null],
] as const)
  test(`${transformation} encrypts and decrypts as OpenSSL does`, async () => {
    const iv = spec === null ? null : Buffer.alloc(16)
    const cipher = createCipheriv(name, KEY, iv)
    const encrypted = Buffer.concat([cipher.update(TEXT), cipher.final()]).toString('base64')
    const parameters = spec === null ? '' : `, ${spec}`
    const source = `
      def c = Cipher.getInstance('${transformation}'); c.init(Cipher.ENCRYPT_MODE, key${parameters})
      c.update('some text '.bytes); def made = base64(c.doFinal('of two blocks or three'.bytes))
      c.init(Cipher.DECRYPT_MODE, key${parameters})
      [made, new String(c.doFinal(bytes('${encrypted}')))].join(' | ')`
    assert.equal(await result(source), `${encrypted} | ${TEXT}`)
  })

test('AES/GCM/NoPadding appends the tag, and rejects changed texts, tags and additional data', async () => {
  const cipher = createCipheriv('aes-256-gcm', KEY, Buffer.alloc(12)).setAAD(Buffer.from('more'))
  const encrypted = Buffer.concat([cipher.update(TEXT), cipher.final(), cipher.getAuthTag()]).toString('base64')
  const decrypt = `
    def decrypt = { String text, String more ->
      def d = Cipher.getInstance('AES/GCM/NoPadding'); d.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, vector(12)))
      d.updateAAD(more.bytes)
      try { new String(d.doFinal(bytes(text))) } catch (AEADBadTagException e) { 'bad tag' }
    }`
  const source = `${decrypt}
    def c = Cipher.getInstance('AES/GCM/NoPadding'); c.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, vector(12)))
    c.updateAAD('more'.bytes)
    [base64(c.doFinal('${TEXT}'.bytes)), decrypt('${encrypted}', 'more'), decrypt('${encrypted}', 'other'),
     decrypt('A${encrypted.slice(1)}', 'more'), decrypt('AAAA', 'more'), decrypt('', 'more')].join(' | ')`
  assert.equal(await result(source), [encrypted, TEXT, 'bad tag', 'bad tag', 'bad tag', 'bad tag'].join(' | '))
})

test('a text is encrypted with a random vector where none is given, and once for each vector', async () => {
  const source = `
    def c = Cipher.getInstance('AES/GCM/NoPadding'); c.init(Cipher.ENCRYPT_MODE, key)
    [base64(c.getIV()), base64(c.doFinal('${TEXT}'.bytes))].join(' | ')`
  const [iv = '', sealed = ''] = (await result(source)).split(' | ').map((text) => Buffer.from(text, 'base64'))
  const decipher = createDecipheriv('aes-256-gcm', KEY, iv as Buffer).setAuthTag((sealed as Buffer).subarray(-16))
  assert.equal(
    decipher.update((sealed as Buffer).subarray(0, -16), undefined, 'utf8') + decipher.final('utf8'),
    String(TEXT),
  )
  const twice = `def c = Cipher.getInstance('AES/GCM/NoPadding'); c.init(Cipher.ENCRYPT_MODE, key); c.doFinal('a'.bytes); c.doFinal('b'.bytes)`
  assert.match(await failure(twice), /IllegalStateException: Cannot reuse iv for GCM encryption/)
})

test('RSA with OAEP encrypts and decrypts, with the same digest for the mask', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keys = `
    def priv = KeyFactory.getInstance('RSA').generatePrivate(new PKCS8EncodedKeySpec(bytes('${privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')}')))
    def pub = KeyFactory.getInstance('RSA').generatePublic(new X509EncodedKeySpec(bytes('${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}')))
    def spec = new OAEPParameterSpec('SHA-256', 'MGF1', MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT)
    def c = Cipher.getInstance('RSA/ECB/OAEPPadding')\n`
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const encrypted = publicEncrypt({ key: publicKey, ...padding }, Buffer.from('secret')).toString('base64')
  const source = `${keys} c.init(Cipher.DECRYPT_MODE, priv, spec); c.update(bytes('${encrypted}')); def text = new String(c.doFinal())
    c.init(Cipher.ENCRYPT_MODE, pub, spec); [text, base64(c.doFinal('mine'.bytes))].join(' | ')`
  const [text, made = ''] = (await result(source)).split(' | ')
  assert.equal(text, 'secret')
  assert.equal(String(privateDecrypt({ key: privateKey, ...padding }, Buffer.from(made, 'base64'))), 'mine')
  const wrong = `${keys} c.init(Cipher.DECRYPT_MODE, priv); c.doFinal(bytes('${encrypted}'))`
  assert.match(await failure(wrong), /BadPaddingException: Padding error in decryption/)
  const mask = `${keys} Cipher.getInstance('RSA/ECB/OAEPWithSHA-256AndMGF1Padding').init(Cipher.DECRYPT_MODE, priv)`
  assert.match(
    await failure(mask),
    /InvalidAlgorithmParameterException: the mask of OAEP .* pass new OAEPParameterSpec/,
  )
  assert.match(await failure(`${keys} c.init(Cipher.ENCRYPT_MODE, priv)`), /expected a public key of RSA/)
  assert.match(
    await failure(`${keys} c.init(Cipher.ENCRYPT_MODE, pub); c.doFinal(new byte[500])`),
    /too long for the key/,
  )
})

test('weak and unknown transformations, keys and vectors are exceptions', async () => {
  for (const name of ['DES/ECB/PKCS5Padding', 'DESede', 'RC4', 'RSA/ECB/PKCS1Padding', 'AES/CFB/NoPadding', ''])
    assert.match(await failure(`Cipher.getInstance('${name}')`), /NoSuchAlgorithmException: Cannot find any provider/)
  const init = (rest: string): Promise<string> => failure(`Cipher.getInstance('AES/GCM/NoPadding').init(${rest})`)
  assert.match(
    await init("1, new SecretKeySpec(new byte[5], 'AES')"),
    /InvalidKeyException: Invalid AES key length: 5 bytes/,
  )
  assert.match(await init('1, key, new IvParameterSpec(vector(12))'), /expected a GCMParameterSpec/)
  assert.match(await init('1, key, new GCMParameterSpec(32, vector(12))'), /expected a tag of 128 bits, got 32/)
  assert.match(await init('1, key, new GCMParameterSpec(128, vector(0))'), /Wrong IV length: 0 bytes/)
  assert.match(await init('2, key'), /Parameters missing/)
  assert.match(await init('3, key'), /expected Cipher\.ENCRYPT_MODE or Cipher\.DECRYPT_MODE/)
  const padded = `def c = Cipher.getInstance('AES'); c.init(2, key); c.doFinal`
  assert.match(await failure(`${padded}('x'.bytes)`), /IllegalBlockSizeException/)
  assert.match(await failure(`${padded}(new byte[16])`), /BadPaddingException/)
  assert.match(await failure(`Cipher.getInstance('AES').doFinal('x'.bytes)`), /IllegalStateException: Cipher not init/)
  const part = "new SecretKeySpec([1, 2, 3] as byte[], 1, 5, 'AES')"
  assert.match(await failure(part), /outside of an array of 3 bytes/)
})

test('a BigInteger has the bytes of Java', async () => {
  const values = ['0', '1', '-1', '127', '128', '-128', '-129', '255', '65535', '-32768', '-32769']
  const source = `[${values.map((each) => `"${each}"`)}].collect { def b = new BigInteger(it).toByteArray(); [b.toList(), new BigInteger(b)] }`
  assert.equal(
    await result(source),
    '[[[0], 0], [[1], 1], [[-1], -1], [[127], 127], [[0, -128], 128], [[-128], -128], [[-1, 127], -129], [[0, -1], 255], [[0, -1, -1], 65535], [[-128, 0], -32768], [[-1, 127, -1], -32769]]',
  )
  const signed =
    '[new BigInteger(1, [-1, -1] as byte[]), new BigInteger(-1, [1, 0] as byte[]), new BigInteger(0, new byte[0])]'
  assert.equal(await result(signed), '[65535, -256, 0]')
  assert.match(await failure('new BigInteger(new byte[0])'), /NumberFormatException: Zero length BigInteger/)
  assert.match(await failure('new BigInteger(0, [1] as byte[])'), /signum-magnitude mismatch/)
})
