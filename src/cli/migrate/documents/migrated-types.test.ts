// Objects that are declared by another type after a migration.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

const ROUTE = 'config/routes/old.json'

interface Migrated {
  readonly json: JsonObject
  readonly text: string
  readonly stdout: string
  readonly key: string | null
}

/** Migrates one file of an instance; a second migration changes nothing. */
async function migrated(file: object | string, words: readonly string[] = [], path = ROUTE): Promise<Migrated> {
  using folder = new Folder({ [path]: typeof file === 'string' ? file : JSON.stringify(file, null, 2) })
  const { code, stdout, stderr } = await gateway(['migrate', '--write', ...words, folder.path])
  assert.equal(code, 0, stdout + stderr)
  const text = folder.read(path)
  assert.match((await gateway(['migrate', '--write', ...words, folder.path])).stderr, /^0 files /)
  const key = words.includes('--move-secrets') ? folder.read('secrets/session.key') : null
  return { json: JSON.parse(text.replaceAll(/\/\/.*$/gm, '')) as JsonObject, text, stdout, key }
}

const route = (...filters: object[]) => ({ handler: { type: 'Chain', config: { filters, handler: 'h' } } })
const filtersOf = ({ json }: Migrated) =>
  ((json['handler'] as JsonObject)['config'] as { filters: JsonObject[] }).filters

test('CaptureFilter becomes the decorator capture of a filter that does nothing, with a decorator of its settings', async () => {
  const capture = { type: 'CaptureFilter', config: { file: '/tmp/log', captureEntity: false } }
  const entities = { type: 'CaptureFilter', config: { maxEntityLength: 10 } }
  const result = await migrated(route(capture, entities, { ...entities, name: 'again' }))
  assert.deepEqual(filtersOf(result), [
    { type: 'ChainOfFilters', config: { filters: [] }, capture: ['request', 'response'] },
    { type: 'ChainOfFilters', config: { filters: [] }, captureFilter: ['request', 'response'] },
    { name: 'again', type: 'ChainOfFilters', config: { filters: [] }, captureFilter: ['request', 'response'] },
  ])
  assert.deepEqual(result.json['heap'], [
    { name: 'captureFilter', type: 'CaptureDecorator', config: { captureEntity: true, maxEntityLength: 10 } },
  ])
  assert.equal(result.stdout.match(/deprecated/g), null)
})

test('a condition of a CaptureFilter becomes that of a ConditionalFilter, and the heap keeps its comments', async () => {
  const text = `{
  "heap": [
    { "name": "captureFilter", "type": "ClientHandler" } // a name that is taken
  ],
  "handler": { "type": "Chain", "config": { "handler": "captureFilter", "filters": [
    { "type": "org.forgerock.openig.filter.CaptureFilter", "config": { "condition": "\${request.method == 'GET'}" } }
  ] } }
}
`
  const result = await migrated(text)
  assert.deepEqual(filtersOf(result), [
    {
      type: 'ConditionalFilter',
      config: {
        condition: "${request.method == 'GET'}",
        delegate: { type: 'ChainOfFilters', config: { filters: [] }, 'captureFilter-2': ['request', 'response'] },
      },
    },
  ])
  assert.match(result.text, /\/\/ a name that is taken/)
  assert.deepEqual(
    (result.json['heap'] as JsonObject[]).map(({ name }) => name),
    ['captureFilter', 'captureFilter-2'],
  )
})

test('TlsOptions become those of the side of the connection that uses them', async () => {
  const config = {
    keyManager: 'k',
    clientAuth: 'REQUIRED',
    hostnameVerifier: 'ALLOW_ALL',
    sslEnabledProtocols: ['TLSv1.3'],
  }
  const tls = { type: 'TlsOptions', config }
  const handler = { type: 'ClientHandler', config: { tls } }
  const { json } = await migrated({ handler, heap: [{ name: 't', ...tls }] })
  const client = { keyManager: 'k', hostnameVerifier: 'ALLOW_ALL', sslEnabledProtocols: ['TLSv1.3'] }
  assert.deepEqual(json, {
    handler: { type: 'ClientHandler', config: { tls: { type: 'ClientTlsOptions', config: client } } },
    heap: [{ name: 't', type: 'ClientTlsOptions', config: client }],
  })
  const admin = {
    connectors: [
      { port: 0, tls },
      { port: 1, tls: 't' },
    ],
    heap: [
      { name: 't', ...tls },
      { name: 'none', type: 'TlsOptions' },
    ],
  }
  const { json: migratedAdmin } = await migrated(admin, [], 'config/admin.json')
  const server = { keyManager: 'k', clientAuth: 'REQUIRED', sslEnabledProtocols: ['TLSv1.3'] }
  assert.deepEqual(migratedAdmin['heap'], [
    { name: 't', type: 'ServerTlsOptions', config: server },
    { name: 'none', type: 'ClientTlsOptions' },
  ])
  assert.deepEqual((migratedAdmin['connectors'] as JsonObject[])[0]?.['tls'], {
    type: 'ServerTlsOptions',
    config: server,
  })
})

test('settings of sessions in admin.json become a session manager', async () => {
  const session = { cookie: { name: 'MY' }, timeout: '20 minutes' }
  const { json } = await migrated({ session }, [], 'config/admin.json')
  assert.deepEqual(json, { session: { type: 'InMemorySessionManager', config: session } })
})

test('private_key_jwt of a registration becomes a filter that takes the audience from the issuer', async () => {
  const registration = {
    clientId: 'c',
    issuer: 'op',
    tokenEndpointAuthMethod: 'private_key_jwt',
    tokenEndpointAuthSigningAlg: 'ES256',
    privateKeyJwtSecretId: 'signing',
    jwtExpirationTimeout: '2 minutes',
    secretsProvider: 'secrets',
  }
  const { json, stdout } = await migrated({
    handler: 'h',
    heap: [{ name: 'r', type: 'ClientRegistration', config: registration }],
  })
  const filter = {
    type: 'PrivateKeyJwtClientAuthenticationFilter',
    config: {
      clientId: 'c',
      issuer: 'op',
      signingSecretId: 'signing',
      signingAlgorithm: 'ES256',
      jwtExpirationTimeout: '2 minutes',
      secretsProvider: 'secrets',
    },
  }
  assert.deepEqual((json['heap'] as JsonObject[])[0]?.['config'], {
    clientId: 'c',
    issuer: 'op',
    secretsProvider: 'secrets',
    authenticatedRegistrationHandler: {
      type: 'Chain',
      config: { filters: [filter], handler: 'ForgeRockClientHandler' },
    },
  })
  assert.doesNotMatch(stdout, /deprecated/)
})

const SECRET = btoa('0123456789abcdef0123456789abcdef')
const session = (config: object) => ({ handler: 'h', session: { type: 'JwtSession', config } })

test('sharedSecret of JwtSession becomes a file with the key that is derived from it, with --move-secrets', async () => {
  const { json, key, stdout } = await migrated(session({ sharedSecret: SECRET, cookieName: 'old' }), ['--move-secrets'])
  const { config } = json['session'] as { config: JsonObject }
  assert.equal(Buffer.from(key ?? '', 'base64').length, 32)
  assert.notEqual(key, SECRET)
  const format = { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } }
  assert.deepEqual(config, {
    cookie: { name: 'old' },
    authenticatedEncryptionSecretId: 'session.key',
    secretsProvider: {
      type: 'FileSystemSecretStore',
      config: { directory: 'secrets', format: 'PLAIN', mappings: [{ secretId: 'session.key', format }] },
    },
  })
  assert.doesNotMatch(stdout, /is deprecated/)
})

test('what only a person can decide stays, with a line that says what to do', async () => {
  for (const [config, line] of [
    [{ sharedSecret: SECRET }, /sharedSecret is deprecated; .*"gateway migrate --move-secrets" writes the same key/],
    [{ sharedSecret: "${env['KEY']}" }, /sharedSecret is deprecated/],
    [{ keystore: 'ks', alias: 'a' }, /keystore is deprecated; .*openssl rand -base64 32 > secrets\/session\.key/],
  ] as const) {
    using folder = new Folder({ [ROUTE]: JSON.stringify(session(config)) })
    const { stdout } = await gateway(['migrate', folder.path])
    assert.match(stdout, line)
    assert.match(stdout, /^\+.*AuthenticatedEncryptedJwtSessionManager/m)
  }
})
