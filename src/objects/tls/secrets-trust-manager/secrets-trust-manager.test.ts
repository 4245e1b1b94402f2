import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TrustManager } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { Authority, Changing, opensslMissing } from '#test/certificates'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { SecretsTrustManager } from './secrets-trust-manager.ts'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

function manager(config: JsonValue, secrets: Changing<PemSecrets>) {
  const heap = [{ name: 'store', type: 'PemStore' }]
  return build<TrustManager>(SecretsTrustManager, config, { types: [pemStoreType(secrets)], heap })
}

const secretsProvider = 'store'

test('trusts the certificates of the secret id, under either name of the field', options, async () => {
  const secrets = new Changing<PemSecrets>({ ca: authority!.certificate })
  for (const field of ['verificationSecretId', 'certificateVerificationSecretId']) {
    await using built = await manager({ [field]: 'ca', secretsProvider, checkRevocation: false }, secrets)
    const authorities = await built.object.authorities()
    assert.ok(typeof authorities !== 'string')
    assert.deepEqual(
      authorities.map(({ subject }) => subject),
      ['CN=Test Authority'],
    )
  }
})

test('of a chain only the first certificate is trusted, not its issuers', options, async () => {
  const secrets = new Changing<PemSecrets>({ peer: authority!.issue({ name: 'peer' }).chain })
  await using built = await manager({ verificationSecretId: 'peer', secretsProvider, checkRevocation: false }, secrets)
  const authorities = await built.object.authorities()
  assert.deepEqual(Array.isArray(authorities) && authorities.map(({ subject }) => subject), ['CN=peer'])
  assert.deepEqual(built.warnings, [])
})

test('warns by default that revocation is not checked', options, async () => {
  const secrets = new Changing<PemSecrets>({ ca: authority!.certificate })
  await using built = await manager({ verificationSecretId: 'ca', secretsProvider }, secrets)
  assert.match(built.warnings.join(), /checkRevocation: neither CRLs nor OCSP are asked/)
})

test('a secret without a certificate is named in the error', options, async () => {
  const secrets = new Changing<PemSecrets>({ word: 'a password' })
  await using built = await manager({ verificationSecretId: 'word', secretsProvider, checkRevocation: false }, secrets)
  await assert.rejects(built.object.authorities(), /"word" .*it is a password, not a key/)
})

test('notifies of changed secrets', options, async () => {
  const secrets = new Changing<PemSecrets>({ ca: authority!.certificate })
  await using built = await manager({ verificationSecretId: 'ca', secretsProvider, checkRevocation: false }, secrets)
  let changes = 0
  built.object.onChange(() => {
    changes++
  })
  secrets.set({})
  assert.equal(changes, 1)
})
