import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { SessionManager } from '#contracts'
import { parseSetCookie, Response } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { sampleJks, samplePassword } from '#test/keystore-samples'
import { KeyStore } from '../../tls/key-store/key-store.ts'
import { AuthenticatedEncryptedJwtSessionManager } from './authenticated-encrypted-jwt-session-manager.ts'
import { olderKey, sharedKey } from './older-key.ts'

/** A JwtSession as OpenIG has it. */
async function older(config: JsonObject) {
  const built = await build<SessionManager>(AuthenticatedEncryptedJwtSessionManager, config, { types: [KeyStore] })
  return {
    warnings: built.warnings,
    async cookie(): Promise<string> {
      const open = await built.object.open(exchangeFor('GET', 'http://gateway.example/'))
      open.session.set('user', 'demo')
      const response = new Response(200)
      await open.save(response)
      const { name, value } = parseSetCookie(response.headers.all('set-cookie')[0] ?? '')
      return `${name}=${value}`
    },
    async user(cookie: string): Promise<unknown> {
      const exchange = exchangeFor('GET', 'http://gateway.example/', { headers: { Cookie: cookie } })
      return (await built.object.open(exchange)).session.get('user')
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

const secret = (text: string) => ({ sharedSecret: btoa(text.padEnd(32, '.')) })

test('gateways with the same sharedSecret share sessions, others do not', async () => {
  await using one = await older({ cookieName: 'mine', ...secret('a') })
  await using same = await older({ cookie: { name: 'mine' }, ...secret('a') })
  await using another = await older({ cookieName: 'mine', ...secret('b') })
  const cookie = await one.cookie()
  assert.match(cookie, /^mine=/)
  assert.equal(await same.user(cookie), 'demo')
  assert.equal((await another.user(cookie)) ?? null, null)
  assert.match(one.warnings.join('\n'), /cookieName is deprecated; use cookie\.name instead/)
  assert.match(one.warnings.join('\n'), /sharedSecret is deprecated; use authenticatedEncryptionSecretId/)
  assert.doesNotMatch(one.warnings.join('\n'), new RegExp(secret('a').sharedSecret))
})

test('the key is derived from the private key of a keystore', async () => {
  using folder = new Folder()
  const url = folder.in('keys.jks')
  writeFileSync(url, sampleJks())
  const keystore = { type: 'KeyStore', config: { url, password: samplePassword, type: 'JKS' } }
  const config = { keystore, password: samplePassword }
  await using one = await older(config)
  await using same = await older(config)
  assert.equal(await same.user(await one.cookie()), 'demo')
  assert.doesNotMatch(one.warnings.join('\n'), /random key/)
  await assert.rejects(
    older({ ...config, alias: 'none' }),
    /alias: expected the alias of a private key in the keystore/,
  )
})

test('a short sharedSecret is rejected without being shown', async () => {
  await assert.rejects(older({ sharedSecret: btoa('short') }), (error: Error) => {
    assert.match(error.message, /sharedSecret: expected at least 32 bytes in base64, got 5/)
    assert.doesNotMatch(error.message, new RegExp(btoa('short')))
    return true
  })
})

test('the key that a migration writes is the one of the shared secret', async () => {
  const { sharedSecret } = secret('a')
  for (const method of ['A256GCM', 'A128CBC-HS256'] as const) {
    const key = await olderKey({ sharedSecret }, method)
    assert.equal(sharedKey(sharedSecret, method), key?.export().toString('base64'))
  }
  for (const [text, method] of [
    ['${env.KEY}', 'A256GCM'],
    ['&{key}', 'A256GCM'],
    [btoa('short'), 'A256GCM'],
    [sharedSecret, '${method}'],
  ] as const)
    assert.equal(sharedKey(text, method), null)
})
