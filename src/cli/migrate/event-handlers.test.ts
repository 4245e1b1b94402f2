// Event handlers of audit services, which have `class` where other objects have `type`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

const ROUTE = 'config/routes/old.json'
const HANDLER = { type: 'StaticResponseHandler', config: { status: 204 } }
const CSV = { name: 'csv', topics: ['access'], logDirectory: 'logs' }
const KEYSTORE = { enabled: 'false', filename: '/path/k', password: 'pass' }

const csv = (config: object) => ({ class: 'CsvAuditEventHandler', config: { ...CSV, ...config } })
const service = (...eventHandlers: object[]) => ({ type: 'AuditService', config: { eventHandlers } })
const oldService = (...handlers: object[]) => ({ type: 'AuditService', config: { 'event-handlers': handlers } })

/** Migrates one file of an instance; a second migration changes nothing. */
async function migrate(folder: Folder, path: string, file: object) {
  folder.write(path, JSON.stringify(file, null, 2))
  const { code, stdout, stderr } = await gateway(['migrate', '--write', '--move-secrets', folder.path])
  assert.equal(code, 0, stdout + stderr)
  const again = await gateway(['migrate', '--write', '--move-secrets', folder.path])
  assert.match(again.stderr, /^0 files /)
  const lines = stdout.split('\n').filter((line) => line.startsWith(folder.in(path)))
  return {
    json: JSON.parse(folder.read(path)) as JsonObject,
    decisions: lines.map((line) => line.slice(folder.in(path).length + 1)),
    stdout,
  }
}

test('fields of event handlers that have no effect are removed, in every file and under the old name of the list', async () => {
  using folder = new Folder()
  const [before, after] = [csv({ security: KEYSTORE }), csv({ security: { enabled: 'false' } })]
  const heap = await migrate(folder, ROUTE, { heap: [{ name: 'AuditService', ...service(before) }], handler: HANDLER })
  assert.deepEqual(heap.json['heap'], [{ name: 'AuditService', ...service(after) }])
  assert.deepEqual(heap.decisions, [])
  assert.match(heap.stdout, /^- .*"password": "pass"$/m)
  for (const path of [ROUTE, 'config/config.json', 'config/admin.json']) {
    const document = path === 'config/admin.json' ? {} : { handler: HANDLER }
    const { json, decisions } = await migrate(folder, path, { ...document, auditService: oldService(before, before) })
    assert.deepEqual(json['auditService'], service(after, after), path)
    assert.deepEqual(decisions, [])
  }
})

test('objects in event handlers are migrated, and their secrets are moved', async () => {
  using folder = new Folder()
  const keystore = (config: object) => ({ type: 'KeyStore', config: { url: 'file:///k.p12', ...config } })
  const syslog = (type: string, store: object) => ({
    class: 'org.forgerock.audit.handlers.syslog.SyslogAuditEventHandler',
    config: {
      ...{ name: 's', topics: ['access'], protocol: 'TLS', host: 'h', port: 6514, facility: 'KERN' },
      tls: { type, config: { keyManager: { type: 'KeyManager', config: { keystore: store } } } },
    },
  })
  const before = syslog('TlsOptions', keystore({ password: 'clear' }))
  const { json, decisions } = await migrate(folder, ROUTE, { auditService: oldService(before), handler: HANDLER })
  const secretsProvider = { type: 'FileSystemSecretStore', config: { directory: 'secrets', format: 'PLAIN' } }
  const store = keystore({ passwordSecretId: 'keystore.password', secretsProvider })
  assert.deepEqual(json['auditService'], service(syslog('ClientTlsOptions', store)))
  assert.deepEqual(decisions, [])
  assert.equal(folder.read('secrets/keystore.password'), 'clear')
})

test('problems of event handlers are parts to decide, at their places in the new text', async () => {
  using folder = new Folder()
  const handlers = [
    { class: 'org.forgerock.SplunkAuditEventHandler', config: {} },
    { class: 'JdbcAuditEventHandler', config: {} },
    { class: 'ElasticsearchAuditEventHandler', config: {} },
    { class: 'CvsAuditEventHandler', config: {} },
    csv({ csvSecurity: {}, rotationRetentionCheckInterval: '2 days', security: KEYSTORE }),
    { ...csv({ security: KEYSTORE }), enabled: false },
  ]
  const { json, decisions } = await migrate(folder, ROUTE, { auditService: oldService(...handlers), handler: HANDLER })
  const { eventHandlers } = (json['auditService'] as { config: { eventHandlers: JsonObject[] } }).config
  const security = eventHandlers.map(({ config }) => (config as JsonObject)['security'])
  assert.deepEqual(security.slice(4), [{ enabled: 'false' }, { enabled: 'false' }])
  const at = '/auditService/config/eventHandlers'
  const shown = decisions.map((line) => line.replace(/(: (un[a-z]+ [a-z]+|expected)).*/, '$1'))
  assert.deepEqual(shown, [
    `49:11: ${at}/5/enabled: unknown field`,
    `7:11: ${at}/0/class: unsupported type`,
    `11:11: ${at}/1/class: unsupported type`,
    `15:11: ${at}/2/class: unsupported type`,
    `19:11: ${at}/3/class: unknown type`,
    `30:13: ${at}/4/config/csvSecurity: unknown field`,
    `31:13: ${at}/4/config/rotationRetentionCheckInterval: expected`,
  ])
  assert.match(decisions.join('\n'), /unsupported type "SplunkAuditEventHandler": use JsonAuditEventHandler/)
})

test('a handler that signs without a secret is a part to decide', async () => {
  using folder = new Folder()
  const signed = csv({ security: { ...KEYSTORE, enabled: true } })
  const { decisions } = await migrate(folder, ROUTE, { auditService: oldService(signed), handler: HANDLER })
  assert.deepEqual(
    decisions.map((line) => line.slice(line.indexOf(' ') + 1)),
    [
      '/auditService/config/eventHandlers/0/config/security/secretId: a secret is needed to sign; name one, or set enabled to false',
    ],
  )
})
