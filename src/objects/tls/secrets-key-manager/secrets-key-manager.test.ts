import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { KeyManager } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Authority, Changing, opensslMissing } from '#test/certificates'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { SecretsKeyManager } from './secrets-key-manager.ts'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())
const pem = (name: string) => {
  const { key, chain } = authority!.issue({ name })
  return key + chain
}

function manager(config: JsonValue, secrets: Changing<PemSecrets>) {
  const heap = [{ name: 'store', type: 'PemStore' }]
  return build<KeyManager>(SecretsKeyManager, config, { types: [pemStoreType(secrets)], heap })
}

test('returns the key and the chain of each secret id, in order', options, async () => {
  const secrets = new Changing<PemSecrets>({ 'a.key': pem('a'), 'b.key': pem('b') })
  await using one = await manager({ signingSecretId: 'a.key', secretsProvider: 'store' }, secrets)
  const [identity] = await one.object.identities()
  assert.deepEqual(
    identity?.chain.map(({ subject }) => subject),
    ['CN=a', 'CN=Test Authority'],
  )
  await using two = await manager({ signingSecretId: ['b.key', 'a.key'], secretsProvider: 'store' }, secrets)
  const names = (await two.object.identities()).map(({ chain }) => chain[0]?.subject)
  assert.deepEqual(names, ['CN=b', 'CN=a'])
})

test('returns the current secret, and notifies of changes', options, async () => {
  const secrets = new Changing<PemSecrets>({ 'a.key': pem('old') })
  await using built = await manager({ signingSecretId: 'a.key', secretsProvider: 'store' }, secrets)
  let changes = 0
  const stop = built.object.onChange(() => {
    changes++
  })
  secrets.set({ 'a.key': pem('new') })
  assert.equal(changes, 1)
  assert.equal((await built.object.identities())[0]?.chain[0]?.subject, 'CN=new')
  stop()
  secrets.set({ 'a.key': pem('newer') })
  assert.equal(changes, 1)
})

test('an unusable secret is named in the error', options, async () => {
  const { key } = authority!.issue({ name: 'x' })
  const other = authority!.issue({ name: 'y' })
  const secrets = new Changing<PemSecrets>({ word: 'a password', bare: key, mixed: key + other.certificate })
  for (const [id, message] of [
    ['gone', /no secret store knows the secret id "gone"/],
    ['word', /"word" .*it is a password, not a key/],
    ['bare', /the secret id "bare" has no certificate, which TLS needs/],
    ['mixed', /the secret id "mixed" has a certificate of another key/],
  ] as const) {
    await using built = await manager({ signingSecretId: id, secretsProvider: 'store' }, secrets)
    await assert.rejects(built.object.identities(), message)
  }
})

test('at least one secret id is required', async () => {
  const secrets = new Changing<PemSecrets>({})
  await assert.rejects(
    manager({ signingSecretId: [], secretsProvider: 'store' }, secrets),
    /\/heap\/0\/config\/signingSecretId: expected at least one secret id/,
  )
  await assert.rejects(manager({ secretsProvider: 'store' }, secrets), /\/config\/signingSecretId: .*required/)
})
