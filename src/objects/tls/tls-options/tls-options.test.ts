import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BidirectionalTls } from '#contracts'
import type { Handler } from '#http'
import { build } from '#test/build'
import { Authority, Changing, opensslMissing } from '#test/certificates'
import { type PemSecrets, pemStoreType } from '#test/pem-secrets'
import { ReverseProxyHandler } from '../../handlers/reverse-proxy/reverse-proxy-handler.ts'
import { SecretsKeyManager } from '../secrets-key-manager/secrets-key-manager.ts'
import { TlsOptions } from './tls-options.ts'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

test('usable for clients without a key, and for servers with one; the type is deprecated', {
  skip: opensslMissing,
}, async () => {
  const { key, certificate } = authority!.issue({ name: 'a' })
  const surroundings = {
    types: [SecretsKeyManager, pemStoreType(new Changing<PemSecrets>({ a: key + certificate }))],
    heap: [{ name: 'store', type: 'PemStore' }],
  }
  await using bare = await build<BidirectionalTls>(TlsOptions, { hostnameVerifier: 'ALLOW_ALL' }, surroundings)
  assert.equal(bare.object.client.hostnames, 'ALLOW_ALL')
  assert.equal(bare.object.server, null)
  assert.match(bare.warnings.join(), /use ClientTlsOptions for handlers and ServerTlsOptions for connectors/)
  const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'a', secretsProvider: 'store' } }
  await using both = await build<BidirectionalTls>(TlsOptions, { keyManager, clientAuth: 'REQUEST' }, surroundings)
  assert.equal(both.object.server?.clientAuth, 'REQUEST')
  assert.equal((await both.object.client.keys?.identities())?.length, 1)
})

test('a handler accepts it instead of ClientTlsOptions', async () => {
  const heap = [{ name: 'old', type: 'TlsOptions', config: {} }]
  await using built = await build<Handler>(ReverseProxyHandler, { tls: 'old' }, { types: [TlsOptions], heap })
  assert.equal(typeof built.object, 'function')
})
