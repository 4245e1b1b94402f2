import assert from 'node:assert/strict'
import { createPrivateKey, sign, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { Authority, opensslMissing } from '../../../../test/support/certificates.ts'
import { testIdentity } from '../../../../test/support/test-identity.ts'
import { runGroovy } from '../../testing/run-groovy.ts'
import { alternativeNames, distinguishedName } from './distinguished-name.ts'

const PREAMBLE = `
  import java.security.*
  import java.security.cert.*
  def read = { String text -> CertificateFactory.getInstance('X.509').generateCertificate(new ByteArrayInputStream(text.bytes)) }
  `
const result = async (source: string): Promise<string> => (await runGroovy(PREAMBLE + source)).text
const failure = async (source: string): Promise<string> => runGroovy(PREAMBLE + source).then(() => 'no failure', String)

test('the members of a certificate have the values of Java', { skip: opensslMissing }, async () => {
  using authority = new Authority()
  const altNames = 'DNS:a.example.com,IP:10.0.0.1,email:a@b.c,URI:https://x/y'
  const { certificate, key } = authority.issue({ name: 'app.example.com', altNames, keyType: 'rsa' })
  const x509 = new X509Certificate(certificate)
  const signature = sign('sha256', Buffer.from('a'), createPrivateKey(key)).toString('base64')
  const source = `
    def c = read('''${certificate}''')
    X509Certificate typed = c
    def verifier = Signature.getInstance('SHA256withRSA'); verifier.initVerify(c); verifier.update('a'.bytes)
    c.checkValidity(); c.verify(read('''${authority.certificate}''').publicKey)
    [c.subjectDN.name, c.subjectX500Principal.name, c.issuerDN.toString(), c.serialNumber.toString(16).toUpperCase(),
     c.sigAlgName, c.sigAlgOID, c.version, c.notAfter.time, c.subjectAlternativeNames, c.extendedKeyUsage, c.type, c.publicKey.algorithm, c == read('''${certificate}'''),
     c.encoded.encodeBase64().toString() == '${x509.raw.toString('base64')}', verifier.verify(Base64.decoder.decode('${signature}'))].join(' | ')`
  assert.deepEqual((await result(source)).split(' | '), [
    'CN=app.example.com',
    'CN=app.example.com',
    'CN=Test Authority',
    x509.serialNumber.replace(/^0+/, ''),
    'SHA256withECDSA',
    '1.2.840.10045.4.3.2',
    '3',
    String(x509.validToDate.getTime()),
    '[[2, a.example.com], [7, 10.0.0.1], [1, a@b.c], [6, https://x/y]]',
    '[1.3.6.1.5.5.7.3.1, 1.3.6.1.5.5.7.3.2]',
    'X.509',
    'RSA',
    'true',
    'true',
    'true',
  ])
})

test('an expired certificate, one that is not valid yet, and one of another issuer are different exceptions', async () => {
  const [day, now] = [86_400_000, Date.now()]
  const text = (from: number, to: number): string =>
    testIdentity('x', { from: new Date(now + from * day), to: new Date(now + to * day) }).certificate.toString()
  assert.match(await failure(`read('''${text(-3, -1)}''').checkValidity()`), /CertificateExpiredException: NotAfter: /)
  assert.match(await failure(`read('''${text(1, 3)}''').checkValidity()`), /CertificateNotYetValidException/)
  const at = `read('''${text(1, 3)}''').checkValidity(new Date(${now + 2 * day}L)); 'valid'`
  assert.equal(await result(at), 'valid')
  const other = `read('''${text(-1, 1)}''').verify(read('''${text(-1, 1)}''').publicKey)`
  assert.match(await failure(other), /CertificateException: Signature does not match/)
  const none = `def c = read('''${text(-1, 1)}'''); [c.subjectAlternativeNames, c.extendedKeyUsage]`
  assert.equal(await result(none), '[null, null]')
})

test('a text that is no certificate is an exception', async () => {
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
  for (const text of ['', 'x', broken]) {
    assert.match(await failure(`read('''${text}''')`), /CertificateException: Could not parse certificate/)
  }
  assert.match(await failure(`read('x' * 200000)`), /CertificateException: Could not parse certificate/)
  assert.match(await failure(`CertificateFactory.getInstance('PGP')`), /PGP not found; available: X\.509/)
})

test('names are written as Java writes them', () => {
  const lines =
    'C=GB\nO=Acme\\, Inc\nOU=a \\"b\\"\nemailAddress=a@b.c\nserialNumber=12\nSN=Sur\norganizationIdentifier=PSD-1\n1.2.3=x\nCN=app'
  assert.equal(
    distinguishedName(lines, ', '),
    'CN=app, OID.1.2.3=x, OID.2.5.4.97=PSD-1, SURNAME=Sur, SERIALNUMBER=12, EMAILADDRESS=a@b.c, OU="a \\"b\\"", O="Acme, Inc", C=GB',
  )
  assert.equal(distinguishedName('O=Acme\\, Inc\nCN=app', ','), 'CN=app,O=Acme\\, Inc')
  assert.equal(distinguishedName('', ', '), '')
  assert.deepEqual(alternativeNames('DNS:"a, DNS:b", DNS:c, othername:<unsupported>'), [
    [2, 'a, DNS:b'],
    [2, 'c'],
  ])
})
