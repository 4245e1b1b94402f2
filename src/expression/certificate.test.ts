import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import test from 'node:test'
import { compile, scopeOf } from './index.ts'

const pem = `-----BEGIN CERTIFICATE-----
MIICFzCCAb6gAwIBAgIEEjSrzTAKBggqhkjOPQQDAjBHMQswCQYDVQQGEwJYWDEW
MBQGA1UECgwNRXhhbXBsZSwgSW5jLjEgMB4GA1UEAwwXZXhwcmVzc2lvbnMuZXhh
bXBsZS5jb20wIBcNMjYxMTE1MDIyODAyWhgPMjEyNjEwMjIwMjI4MDJaMEcxCzAJ
BgNVBAYTAlhYMRYwFAYDVQQKDA1FeGFtcGxlLCBJbmMuMSAwHgYDVQQDDBdleHBy
ZXNzaW9ucy5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN4v
Yy4rNP5exxX+UvbXM6VmdWc9W6g31j0wnrKOKzMDuamvy6gTgRB4zev1aGiSPUQn
q45+cbaz7okivLNo2ZGjgZUwgZIwHQYDVR0OBBYEFD5r4EBGVtf4KY1eJLTWDjV+
GmGXMB8GA1UdIwQYMBaAFD5r4EBGVtf4KY1eJLTWDjV+GmGXMA8GA1UdEwEB/wQF
MAMBAf8wPwYDVR0RBDgwNoIXZXhwcmVzc2lvbnMuZXhhbXBsZS5jb22HBMAAAgGG
FWh0dHBzOi8vZXhhbXBsZS5jb20vYTAKBggqhkjOPQQDAgNHADBEAiB9MMHIVni4
Ia6LHdWrhagWHtwZL5kNrvgI4qyul7ZHaQIgS10sGZYYJIRozGgPV3Evnb2hVUcc
IEpBObmXIED/78k=
-----END CERTIFICATE-----
`
const x509 = new X509Certificate(pem)
const scope = scopeOf({ pem, der: new Uint8Array(x509.raw) })
const evaluate = (source: string): unknown => compile(`\${${source}}`).evaluate(scope)

for (const certificate of ['pemCertificate(pem)', 'derCertificate(der)']) {
  test(`${certificate} exposes the fields of a certificate`, () => {
    assert.equal(evaluate(`${certificate}.subjectDN`), 'CN=expressions.example.com, O=Example\\, Inc., C=XX')
    assert.equal(evaluate(`${certificate}.issuerDN`), 'CN=expressions.example.com, O=Example\\, Inc., C=XX')
    assert.equal(evaluate(`${certificate}.serialNumber`), '1234ABCD')
    assert.deepEqual(evaluate(`${certificate}.subjectAlternativeNames`), [
      'DNS:expressions.example.com',
      'IP Address:192.0.2.1',
      'URI:https://example.com/a',
    ])
    assert.equal(evaluate(`${certificate}.notBefore.epochMillis`), x509.validFromDate.getTime())
    assert.equal(evaluate(`${certificate}.notAfter.epochSeconds > ${certificate}.notBefore.epochSeconds`), true)
    assert.equal(evaluate(`${certificate}.fingerprint256`), x509.fingerprint256)
    assert.equal(evaluate(`${certificate}.pem`), pem)
    assert.equal(evaluate(`${certificate}.x509`), null)
    assert.equal(evaluate(`${certificate}.publicKey`), null)
  })
}
