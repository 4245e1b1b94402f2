// Tokens end to end: created by one route, verified by another, by an independent library, and with rotated keys.
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { JsonObject } from '#json'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { keyStoreWith } from '#test/test-identity'
import { keyPairs } from '#test/token-secrets'

const folder = new Folder()
const SHARED = Buffer.alloc(32, 5).toString('base64')

/** The keys of the instance: a keystore to sign with, and a shared key. */
const KEYS: readonly JsonObject[] = [
  {
    name: 'Signing',
    type: 'KeyStoreSecretStore',
    config: {
      file: folder.in('keys.p12'),
      storePasswordSecretId: 'keys.password',
      secretsProvider: { type: 'FileSystemSecretStore', config: { directory: 'secrets', format: 'PLAIN' } },
      mappings: [{ secretId: 'signing', aliasesMatching: ['key-.*'] }],
    },
  },
  {
    name: 'Encryption',
    type: 'SystemAndEnvSecretStore',
    config: {
      mappings: [{ secretId: 'shared.key', format: { type: 'SecretKeyPropertyFormat', config: { algorithm: 'AES' } } }],
    },
  },
  { name: 'Keys', type: 'SecretsProvider', config: { stores: ['Signing', 'Encryption'] } },
]

const text = (entity: string): JsonObject => ({
  type: 'StaticResponseHandler',
  config: { status: 200, headers: { 'Content-Type': ['text/plain; charset=utf-8'] }, entity },
})

const route = (path: string, filter: JsonObject, entity: string): JsonObject => ({
  condition: `\${request.uri.path == '${path}'}`,
  handler: { type: 'Chain', config: { filters: [filter], handler: text(entity) } },
})

function building(config: JsonObject): JsonObject {
  const template = { sub: "${request.headers['X-User'][0]}", tags: ['a', 'b'], at: { path: '${request.uri.path}' } }
  return { type: 'JwtBuilderFilter', config: { template, secretsProvider: 'Keys', ...config } }
}

function validating(config: JsonObject): JsonObject {
  return {
    type: 'JwtValidationFilter',
    config: { jwt: '${request.headers.jwt[0]}', secretsProvider: 'Keys', ...config },
  }
}

const SIGNATURE = { secretId: 'signing', algorithm: 'ES256' }
const ENCRYPTION = { secretId: 'shared.key', algorithm: 'A256KW', method: 'A128CBC-HS256' }
const USER = '${contexts.jwtValidation.claims.subject} ${contexts.jwtValidation.info.at.path}'

let gateway: RunningGateway

before(async () => {
  writeFileSync(folder.in('keys.p12'), keyStoreWith('key-1'))
  gateway = await RunningGateway.start({
    units: 2,
    env: { SHARED_KEY: SHARED },
    files: {
      'config/config.json': {
        heap: KEYS,
        handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } },
      },
      'secrets/keys.password': 'changeit',
    },
    routes: {},
  })
  const value = '${contexts.jwtBuilder.value}'
  const routes: Record<string, JsonObject> = {
    signed: route('/signed', building({ signature: SIGNATURE }), value),
    sealed: route('/sealed', building({ signature: { ...SIGNATURE, encryption: ENCRYPTION } }), value),
    encrypted: route('/encrypted', building({ encryption: ENCRYPTION }), value),
    'verify-signed': route('/verify-signed', validating({ verificationSecretId: 'signing' }), USER),
    'verify-sealed': route(
      '/verify-sealed',
      validating({ verificationSecretId: 'signing', decryptionSecretId: 'shared.key' }),
      USER,
    ),
    'verify-encrypted': route('/verify-encrypted', validating({ decryptionSecretId: 'shared.key' }), USER),
    keys: {
      condition: "${request.uri.path == '/keys'}",
      handler: {
        type: 'JwkSetHandler',
        config: { secretsProvider: 'Signing', purposes: [{ secretId: 'signing', keyUsage: 'SIGN' }] },
      },
    },
  }
  for (const [name, content] of Object.entries(routes)) await gateway.deploy(name, content)
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function made(path: string): Promise<string> {
  const { status, text } = await gateway.ask(path, { headers: { 'X-User': 'bjensen' } })
  assert.equal(status, 200, text)
  return text
}

async function verified(path: string, jwt: string): Promise<string> {
  const { status, text } = await gateway.ask(path, { headers: { jwt } })
  return status === 200 ? text : String(status)
}

test('a token that one route creates is verified by another; each accepts only its own form', async () => {
  for (const form of ['signed', 'sealed', 'encrypted']) {
    const token = await made(`/${form}`)
    for (const other of ['signed', 'sealed', 'encrypted']) {
      const expected = form === other ? `bjensen /${form}` : '403'
      assert.equal(await verified(`/verify-${other}`, token), expected, `${form} at ${other}`)
    }
  }
})

test('another library verifies the token with the keys that the gateway publishes', async () => {
  const token = await made('/signed')
  const keys = createLocalJWKSet(JSON.parse((await gateway.ask('/keys')).text))
  const { payload, protectedHeader } = await jwtVerify(token, keys, { algorithms: ['ES256'] })
  assert.deepEqual(payload, { sub: 'bjensen', tags: ['a', 'b'], at: { path: '/signed' } })
  assert.deepEqual(protectedHeader, { alg: 'ES256', typ: 'JWT', kid: 'key-1' })
})

test('after keys have changed, new tokens are accepted and those of a removed key are not', async () => {
  const old = await made('/signed')
  writeFileSync(folder.in('new.p12'), keyStoreWith('key-0'))
  renameSync(folder.in('new.p12'), folder.in('keys.p12'))
  const deadline = performance.now() + 10_000
  // Both units must have loaded the change; requests go to either.
  for (let same = 0; same < 20; same = (await verified('/verify-signed', old)) === '403' ? same + 1 : 0) {
    assert.ok(performance.now() < deadline, 'tokens of the old key are still taken')
  }
  assert.equal(await verified('/verify-signed', await made('/signed')), 'bjensen /signed')
})

test('a thousand invalid tokens do not stall other requests', async () => {
  const good = await made('/signed')
  const [header, payload] = good.split('.') as [string, string]
  const stranger = keyPairs.otherP256.publicKey
    .export({ type: 'spki', format: 'der' })
    .subarray(-64)
    .toString('base64url')
  const bad = Array.from({ length: 1_000 }, (_, at) => `${header}.${payload}.${at % 2 === 0 ? stranger : `AA${at}`}`)
  const statuses = new Set<string>()
  for (let from = 0; from < bad.length; from += 100) {
    for (const status of await Promise.all(bad.slice(from, from + 100).map((jwt) => verified('/verify-signed', jwt)))) {
      statuses.add(status)
    }
    if (from % 200 === 0) assert.equal(await verified('/verify-signed', good), 'bjensen /signed')
  }
  assert.deepEqual([...statuses], ['403'])
})
