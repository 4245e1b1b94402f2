import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrustManager } from '#contracts'
import { build } from '#test/build'
import { TrustAllManager } from './trust-all-manager.ts'

test('trusts every certificate, with a warning', async () => {
  await using built = await build<TrustManager>(TrustAllManager, {})
  assert.equal(await built.object.authorities(), 'anything')
  assert.match(built.warnings.join(), /every certificate is trusted, also that of an attacker/)
})

test('has no fields', async () => {
  await assert.rejects(build(TrustAllManager, { keystore: 'x' }), /\/heap\/0\/config\/keystore: unknown field/)
})
