import assert from 'node:assert/strict'
import { createPublicKey, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type Purpose, providerOf, Secret, type SecretParts, type SecretStore } from '#contracts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const PASSWORD = 'correct horse battery staple'
const password = new Secret({ secretId: 'id', bytes: Buffer.from(PASSWORD) })
const symmetric = new Secret({ secretId: 'id', key: createSecretKey(Buffer.from(PASSWORD)) })
const keyOf = (parts: Partial<SecretParts> = {}) => new Secret({ secretId: 'id', key: privateKey, ...parts })

/** A store of one id. */
function storeOf(secretId: string, secrets: readonly Secret[]): SecretStore {
  return { find: async (query) => (query.secretId === secretId ? secrets : null), onChange: () => () => {} }
}

const PURPOSES: readonly Purpose[] = ['SIGN', 'VERIFY', 'ENCRYPT', 'DECRYPT', 'GENERIC']
const serves = (secret: Secret) => PURPOSES.filter((purpose) => secret.refusal(purpose) === null)

test('the purposes of a secret follow from its type', () => {
  assert.deepEqual(serves(password), ['GENERIC'])
  assert.deepEqual(serves(symmetric), PURPOSES)
  assert.deepEqual(serves(keyOf()), ['SIGN', 'VERIFY', 'ENCRYPT', 'DECRYPT'])
  assert.deepEqual(serves(keyOf({ key: publicKey })), ['VERIFY', 'ENCRYPT'])
  assert.deepEqual(serves(keyOf({ purposes: ['SIGN', 'VERIFY'] })), ['SIGN', 'VERIFY'])
  assert.deepEqual(serves(keyOf({ key: publicKey, purposes: ['SIGN', 'VERIFY'] })), ['VERIFY'])
})

test('inspecting or serialising a secret shows no value', () => {
  for (const secret of [password, symmetric, keyOf()]) {
    for (const shown of [
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 9 }),
    ]) {
      assert.match(shown, /\[redacted\]/)
      assert.doesNotMatch(shown, /correct horse|PRIVATE/)
    }
  }
  assert.throws(() => keyOf().revealBytes(), { message: 'the secret id is a key, not a password' })
})

test('only the reveal methods return bytes and keys', () => {
  assert.equal(password.revealText(), PASSWORD)
  assert.equal(symmetric.revealText(), PASSWORD)
  assert.equal(password.privateOrSecretKey, null)
  assert.equal(keyOf({ key: publicKey }).privateOrSecretKey, null)
  assert.ok(keyOf().publicOrSecretKey?.equals(createPublicKey(privateKey)))
})

test('the first store that has an id supplies its secrets', async () => {
  const first = new Secret({ secretId: 'id', stableId: 'first', bytes: Buffer.from('x') })
  const provider = providerOf([storeOf('other', []), storeOf('id', [first]), storeOf('id', [password])])
  assert.equal(await provider.active({ secretId: 'id', purpose: 'GENERIC' }), first)
  assert.deepEqual(await provider.valid({ secretId: 'id', purpose: 'GENERIC' }), [first])
  assert.equal(await provider.find({ secretId: 'nowhere', purpose: 'GENERIC' }), null)
  await assert.rejects(provider.valid({ secretId: 'nowhere', purpose: 'GENERIC' }), {
    code: 'GW_SECRET_UNAVAILABLE',
    message: 'no secret store knows the secret id "nowhere"',
  })
  await assert.rejects(provider.active({ secretId: 'other', purpose: 'GENERIC' }), {
    message: 'the secret id "other" has no secret',
  })
})

test('the active secret is the first one, and the query fails where it does not fit the purpose', async () => {
  const certificateOnly = keyOf({ key: publicKey, stableId: 'old', source: 'gateway+keys' })
  const provider = providerOf([storeOf('id', [certificateOnly, keyOf({ stableId: 'new' })])])
  await assert.rejects(provider.active({ secretId: 'id', purpose: 'SIGN' }), {
    message: 'the secret "old" of the secret id "id" in gateway+keys can not serve SIGN: it has no private key',
  })
  const ids = (await provider.valid({ secretId: 'id', purpose: 'VERIFY' })).map(({ stableId }) => stableId)
  assert.deepEqual(ids, ['old', 'new'])
  assert.equal((await provider.valid({ secretId: 'id', purpose: 'SIGN' })).length, 1)
})

test('a named secret is found by its stable id only', async () => {
  const provider = providerOf([storeOf('id', [keyOf({ stableId: 'a' }), keyOf({ stableId: 'b' })])])
  const named = (stableId: string, purpose: Purpose = 'VERIFY') => provider.named({ secretId: 'id', purpose, stableId })
  assert.equal((await named('b'))?.stableId, 'b')
  for (const stableId of ['c', '__proto__', 'constructor', '../a', 'A', '']) assert.equal(await named(stableId), null)
  await assert.rejects(named('a', 'GENERIC'), {
    message: 'the secret "a" of the secret id "id" can not serve GENERIC: it is a key, not a password',
  })
})

test('a listener of a provider is notified by all its stores', () => {
  const heard: string[] = []
  const stores = ['a', 'b'].map((name) => {
    const listeners = new Set<() => void>()
    return {
      find: async () => null,
      onChange: (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      change: () => {
        for (const listener of listeners) listener()
        return name
      },
    }
  })
  const stop = providerOf(stores).onChange(() => heard.push('change'))
  for (const store of stores) store.change()
  stop()
  for (const store of stores) store.change()
  assert.deepEqual(heard, ['change', 'change'])
})
