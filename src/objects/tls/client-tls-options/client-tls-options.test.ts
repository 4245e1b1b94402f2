import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ClientTls } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Authority, Changing, opensslMissing } from '#test/certificates'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { testIdentity } from '#test/test-identity'
import { SecretsKeyManager } from '../secrets-key-manager/secrets-key-manager.ts'
import { TrustAllManager } from '../trust-all-manager/trust-all-manager.ts'
import { ClientTlsOptions } from './client-tls-options.ts'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

function tls(config: JsonValue, secrets: PemSecrets | Changing<PemSecrets> = {}) {
  const changing = secrets instanceof Changing ? secrets : new Changing(secrets)
  return build<ClientTls>(ClientTlsOptions, config, {
    types: [SecretsKeyManager, TrustAllManager, pemStoreType(changing)],
    heap: [
      { name: 'store', type: 'PemStore' },
      { name: 'all', type: 'TrustAllManager' },
    ],
  })
}

const refused = (config: JsonValue, pattern: RegExp) => assert.rejects(tls(config), pattern)

test('defaults: TLS 1.2 and 1.3, trust of the platform, hostname verification, no client certificate', async () => {
  await using built = await tls({})
  assert.deepEqual(built.object, {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: null,
    alpn: true,
    keys: null,
    trust: null,
    hostnames: 'STRICT',
  })
})

test('a client certificate that expires soon gives a warning at load', async () => {
  const pemOf = (to: number) => {
    const { key, certificate } = testIdentity('client', { to: new Date(to) })
    return `${key.export({ type: 'pkcs8', format: 'pem' })}${certificate}`
  }
  const day = 86_400_000
  const keyManager = (signingSecretId: string) => ({
    keyManager: { type: 'SecretsKeyManager', config: { signingSecretId, secretsProvider: 'store' } },
  })
  const secrets = { soon: pemOf(Date.now() + day - 60_000), later: pemOf(Date.now() + 400 * day) }
  await using soon = await tls(keyManager('soon'), secrets)
  assert.match(
    soon.warnings.join(),
    /\/heap\/0: the certificate "CN=client" of keyManager expires on .*, in 23 hours; renew it/,
  )
  await using later = await tls(keyManager('later'), secrets)
  assert.doesNotMatch(later.warnings.join(), /expires/)
})

test('a client key that OpenSSL rejects is a load error', { skip: opensslMissing }, async () => {
  const { key, certificate } = authority!.issue({ name: 'short', keyType: 'rsa-1024' })
  const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'short', secretsProvider: 'store' } }
  await assert.rejects(tls({ keyManager }, { short: key + certificate }), /rejects the key .*: ee key too small/)
})

test('a renewed client key that OpenSSL rejects does not replace one that works', {
  skip: opensslMissing,
}, async () => {
  const pemOf = (name: string, keyType?: 'rsa-1024') => {
    const { key, certificate } = authority!.issue({ name, ...(keyType && { keyType }) })
    return key + certificate
  }
  const secrets = new Changing<PemSecrets>({ client: pemOf('first') })
  const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'client', secretsProvider: 'store' } }
  await using built = await tls({ keyManager }, secrets)
  const shown = async () => (await built.object.keys!.identities()).map(({ chain }) => chain[0]?.subject)
  secrets.set({ client: pemOf('short', 'rsa-1024') })
  assert.deepEqual(await shown(), ['CN=first'])
  assert.match(String(built.states.at(-1)), /^degraded: last good client key in use/)
  const problems = () => built.log.entries.filter(({ code }) => code === 'GW_OBJECT_CLIENT_KEY_UNUSABLE')
  assert.match(JSON.stringify(problems()), /ee key too small/)
  await shown()
  assert.equal(problems().length, 1)
  secrets.set({ client: pemOf('second') })
  assert.deepEqual(await shown(), ['CN=second'])
  assert.match(String(built.states.at(-1)), /^up: /)
})

test('suites are accepted by OpenSSL and registered names', async () => {
  await using built = await tls({
    sslCipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ecdhe-ecdsa-aes256-sha', 'TLS_AES_128_GCM_SHA256'],
    sslEnabledProtocols: ['TLSv1.2'],
    alpn: { enabled: false },
    hostnameVerifier: 'ALLOW_ALL',
    trustManager: 'all',
  })
  const { ciphers, minVersion, maxVersion, alpn, hostnames, trust } = built.object
  assert.equal(ciphers, 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-SHA:TLS_AES_128_GCM_SHA256')
  assert.deepEqual([minVersion, maxVersion, alpn, hostnames], ['TLSv1.2', 'TLSv1.2', false, 'ALLOW_ALL'])
  assert.equal(await trust?.authorities(), 'anything')
})

test('a list without suites of a version disables that version', async () => {
  const range = async (config: JsonValue) => {
    await using built = await tls(config)
    return [built.object.minVersion, built.object.maxVersion]
  }
  assert.deepEqual(await range({ sslCipherSuites: ['AES128-GCM-SHA256'] }), ['TLSv1.2', 'TLSv1.2'])
  assert.deepEqual(await range({ sslCipherSuites: ['TLS_AES_128_GCM_SHA256'] }), ['TLSv1.3', 'TLSv1.3'])
  await refused(
    { sslCipherSuites: ['AES128-GCM-SHA256'], sslEnabledProtocols: ['TLSv1.3'] },
    /sslCipherSuites holds no suite of the versions in sslEnabledProtocols/,
  )
})

test('unsupported values are reported with their pointer', async () => {
  await refused(
    { sslCipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA257'] },
    /\/config\/sslCipherSuites\/0: expected a cipher suite that this platform has, .*did you mean "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"/,
  )
  await refused({ sslCipherSuites: ['RC4-MD5'] }, /\/sslCipherSuites\/0: expected a cipher suite/)
  for (const old of ['TLSv1', 'TLSv1.1', 'SSLv3', 'SSLv2Hello']) {
    await refused(
      { sslEnabledProtocols: [old] },
      /\/sslEnabledProtocols\/0: .* is broken and not offered; use TLSv1\.2/,
    )
  }
  await refused({ sslEnabledProtocols: ['TLSv1.4'] }, /\/sslEnabledProtocols\/0: expected TLSv1\.2 or TLSv1\.3/)
  await refused({ hostnameVerifier: 'MAYBE' }, /\/config\/hostnameVerifier: expected/)
})

test('values that have a meaning only in a JVM give a warning', async () => {
  await using built = await tls({ sslContextAlgorithm: 'TLSv1.2', offloadHandshake: true })
  assert.match(
    built.warnings.join('\n'),
    /sslContextAlgorithm: "TLSv1\.2" .*; set sslEnabledProtocols to \["TLSv1\.2"\]/,
  )
  assert.match(built.warnings.join('\n'), /offloadHandshake has no effect/)
})

test('keys of several managers are combined; an unusable one is a load error', {
  skip: opensslMissing,
}, async () => {
  const issue = (name: string) => {
    const { key, certificate } = authority!.issue({ name })
    return key + certificate
  }
  const from = (id: string) => ({
    type: 'SecretsKeyManager',
    config: { signingSecretId: id, secretsProvider: 'store' },
  })
  const secrets = { a: issue('a'), b: issue('b') }
  await using built = await tls({ keyManager: [from('a'), from('b')] }, secrets)
  const names = (await built.object.keys?.identities())?.map(({ chain }) => chain[0]?.subject)
  assert.deepEqual(names, ['CN=a', 'CN=b'])
  await assert.rejects(tls({ keyManager: from('gone') }, secrets), /no secret store knows the secret id "gone"/)
})
