import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ServerTls } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Authority, Changing, opensslMissing } from '#test/certificates'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { SecretsKeyManager } from '../secrets-key-manager/secrets-key-manager.ts'
import { SecretsTrustManager } from '../secrets-trust-manager/secrets-trust-manager.ts'
import { ServerTlsOptions } from './server-tls-options.ts'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())
const issue = (name: string, altNames?: string) => {
  const { key, certificate } = authority!.issue({ name, ...(altNames !== undefined && { altNames }) })
  return key + certificate
}
const ids = authority === null ? {} : { a: issue('a.example'), b: issue('b.example'), w: issue('w', 'DNS:*.w.example') }

function tls(config: JsonValue, secrets = new Changing<PemSecrets>({ ...ids, ca: authority?.certificate ?? '' })) {
  return build<ServerTls>(ServerTlsOptions, config, {
    types: [SecretsKeyManager, SecretsTrustManager, pemStoreType(secrets)],
    heap: [{ name: 'store', type: 'PemStore' }],
  })
}

const keysOf = (...signingSecretId: string[]) => ({
  type: 'SecretsKeyManager',
  config: { signingSecretId, secretsProvider: 'store' },
})
const trust = {
  type: 'SecretsTrustManager',
  config: { verificationSecretId: 'ca', secretsProvider: 'store', checkRevocation: false },
}
const sni = (serverNames: Record<string, string>, defaultSecretId = 'a') => ({
  serverNames,
  defaultSecretId,
  secretsProvider: 'store',
})

const shown = async (object: ServerTls, name: string | null) =>
  (await object.identitiesFor(name)).map(({ chain }) => chain[0]?.subject)

test('by default no client certificate is requested, and HTTP/2 is offered', options, async () => {
  await using built = await tls({ keyManager: keysOf('a') })
  const { clientAuth, alpn, minVersion, maxVersion, ciphers, trust: trusted } = built.object
  assert.deepEqual(
    [clientAuth, alpn, minVersion, maxVersion, ciphers, trusted],
    ['NONE', true, 'TLSv1.2', 'TLSv1.3', null, null],
  )
  assert.deepEqual(built.warnings, [])
})

test('of the keys of a manager the one for the server name is used, else all are offered', options, async () => {
  await using built = await tls({ keyManager: keysOf('a', 'b', 'w') })
  assert.deepEqual(await shown(built.object, 'b.example'), ['CN=b.example'])
  assert.deepEqual(await shown(built.object, 'x.w.example'), ['CN=w'])
  assert.deepEqual(await shown(built.object, 'other.example'), ['CN=a.example', 'CN=b.example', 'CN=w'])
  assert.deepEqual(await shown(built.object, null), ['CN=a.example', 'CN=b.example', 'CN=w'])
  assert.equal(await built.object.identitiesFor('b.example'), await built.object.identitiesFor('B.example.'))
})

test('sni selects by exact name, then by wildcard of one level, else the default', options, async () => {
  await using built = await tls({ sni: sni({ 'B.example': 'b', '*.w.example': 'w' }) })
  assert.deepEqual(await shown(built.object, 'b.example'), ['CN=b.example'])
  assert.deepEqual(await shown(built.object, 'x.w.example'), ['CN=w'])
  assert.deepEqual(await shown(built.object, 'x.y.w.example'), ['CN=a.example'])
  assert.deepEqual(await shown(built.object, '../../etc'), ['CN=a.example'])
  assert.deepEqual(await shown(built.object, null), ['CN=a.example'])
})

test('sni takes precedence over keyManager with a warning; without both it is an error', options, async () => {
  await using built = await tls({ keyManager: keysOf('b'), sni: sni({}) })
  assert.deepEqual(await shown(built.object, null), ['CN=a.example'])
  assert.match(built.warnings.join(), /keyManager has no effect: sni is given, and wins/)
  await assert.rejects(tls({}), /\/heap\/0\/config: give at least one of keyManager, sni/)
})

test('an unusable name, id or key is a load error', options, async () => {
  await assert.rejects(tls({ sni: sni({ 'b.example': 'gone' }) }), /no secret store knows the secret id "gone"/)
  await assert.rejects(tls({ sni: sni({}, 'ca') }), /"ca" .*private key/)
  await assert.rejects(
    tls({ sni: sni({ 'not a name': 'b' }) }),
    /\/heap\/0\/config\/sni\/serverNames\/not a name: expected a host name such as/,
  )
  await assert.rejects(tls({ sni: sni({ '*.*.example': 'b' }) }), /serverNames\/\*\.\*\.example: expected a host name/)
})

test('changed secrets are used for the next client', options, async () => {
  const secrets = new Changing<PemSecrets>({ ...ids })
  await using built = await tls({ sni: sni({ 'b.example': 'b' }) }, secrets)
  let changes = 0
  built.object.onChange(() => {
    changes++
  })
  const before = await built.object.identitiesFor('b.example')
  assert.equal(await built.object.identitiesFor('b.example'), before)
  secrets.set({ ...ids, b: issue('new.example') })
  assert.equal(changes, 1)
  assert.deepEqual(await shown(built.object, 'b.example'), ['CN=new.example'])
})

test(
  'a certificate of sni whose source fails stays in use without a limit: degraded, logged once, measured',
  options,
  async () => {
    const secrets = new Changing<PemSecrets>({ ...ids })
    await using built = await tls({ sni: sni({ 'b.example': 'b', 'w.example': 'w' }) }, secrets)
    const before = await built.object.identitiesFor('b.example')
    const broken = { ...ids, a: issue('a-new.example'), b: 'garbage' }
    for (let i = 0; i < 3; i++) {
      secrets.set({ ...broken })
      assert.equal(await built.object.identitiesFor('b.example'), before)
      assert.deepEqual(await shown(built.object, null), ['CN=a-new.example'])
    }
    const { b: _, ...gone } = broken
    secrets.set(gone)
    assert.equal(await built.object.identitiesFor('b.example'), before)
    const degraded = 'degraded: last good certificate in use, its source fails: b'
    assert.equal(built.states.at(-1), degraded)
    assert.equal(built.log.entries.filter(({ level }) => level === 'error').length, 2, 'one for each reason')
    secrets.set({ ...ids, b: issue('b-new.example') })
    assert.deepEqual(await shown(built.object, 'b.example'), ['CN=b-new.example'])
    assert.equal(built.states.at(-1), 'up: all certificates can be read')
  },
)

test('the keys of a manager that fails stay in use too', options, async () => {
  const secrets = new Changing<PemSecrets>({ ...ids })
  await using built = await tls({ keyManager: keysOf('a', 'b') }, secrets)
  secrets.set({ ...ids, b: 'garbage' })
  assert.deepEqual(await shown(built.object, 'b.example'), ['CN=b.example'])
  assert.deepEqual(await shown(built.object, null), ['CN=a.example', 'CN=b.example'])
  assert.equal(built.states.at(-1), 'degraded: last good certificate in use, its source fails: keyManager')
})

for (const [keyType, reason] of [
  ['rsa-1024', /OpenSSL rejects the key or its certificate for TLS: ee key too small/],
  ['secp256k1', /TLS has no signatures with a key on the curve secp256k1/],
] as const) {
  test(
    `a key that TLS can not use is a load error, and does not replace one that works (${keyType})`,
    options,
    async () => {
      const { key, certificate } = authority!.issue({ name: 'unusable.example', keyType })
      const secrets = new Changing<PemSecrets>({ ...ids, b: key + certificate })
      await assert.rejects(tls({ sni: sni({ 'b.example': 'b' }) }, secrets), reason)
      await assert.rejects(tls({ keyManager: keysOf('b') }, secrets), reason)
      for (const config of [{ sni: sni({}, 'b') }, { keyManager: keysOf('b') }]) {
        secrets.set({ ...ids })
        await using built = await tls(config, secrets)
        secrets.set({ ...ids, b: key + certificate })
        assert.deepEqual(await shown(built.object, 'b.example'), ['CN=b.example'])
        assert.deepEqual(await shown(built.object, null), ['CN=b.example'])
        assert.match(String(built.states.at(-1)), /^degraded: last good certificate in use/)
        assert.match(JSON.stringify(built.log.entries), reason)
      }
    },
  )
}

test('a key for another purpose does not prevent the use of those for TLS beside it', options, async () => {
  const { key, certificate } = authority!.issue({ name: 'coins.example', keyType: 'secp256k1' })
  await using built = await tls(
    { keyManager: keysOf('c', 'a') },
    new Changing<PemSecrets>({ ...ids, c: key + certificate }),
  )
  assert.deepEqual(await shown(built.object, 'a.example'), ['CN=a.example'])
})

test('a read that races a change does not restore the old certificate', options, async () => {
  const secrets = new Changing<PemSecrets>({ ...ids })
  await using built = await tls({ sni: sni({}) }, secrets)
  secrets.set({ ...ids, a: issue('second.example') })
  const overtaken = built.object.identitiesFor(null)
  secrets.set({ ...ids, a: issue('third.example') })
  const current = await built.object.identitiesFor(null)
  await overtaken
  assert.deepEqual(await shown(built.object, null), ['CN=third.example'])
  assert.equal(await built.object.identitiesFor(null), current)
})

test('clientAuth and trustManager are used together', options, async () => {
  await using both = await tls({ keyManager: keysOf('a'), clientAuth: 'required', trustManager: trust })
  assert.equal(both.object.clientAuth, 'REQUIRED')
  assert.equal((await both.object.trust?.authorities())?.length, 1)
  assert.deepEqual(both.warnings, [])
  await using open = await tls({ keyManager: keysOf('a'), clientAuth: 'REQUEST' })
  assert.match(open.warnings.join(), /accepts the clients of every public authority; set trustManager/)
  await using idle = await tls({ keyManager: keysOf('a'), trustManager: trust })
  assert.match(idle.warnings.join(), /trustManager has no effect with clientAuth NONE/)
  await assert.rejects(tls({ keyManager: keysOf('a'), clientAuth: 'NEED' }), /\/config\/clientAuth: expected/)
})
