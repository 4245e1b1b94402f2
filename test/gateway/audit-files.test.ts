// Audit files and standard output of a whole gateway: rotation by SIGHUP, kills, and their verification.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gateway as command } from '#test/command-line'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'

const handler = (type: string, name: string, more: object = {}) => ({
  class: `org.forgerock.audit.handlers.${type}`,
  config: { name, topics: ['access'], ...more },
})
const security = { enabled: true, secretId: 'audit.sign', secretsProvider: 'files' }
const PARTS = {
  files: {
    'secrets/audit.sign': 'a shared secret of many bytes',
    'config/config.json': {
      heap: [
        {
          name: 'files',
          type: 'FileSystemSecretStore',
          config: { format: 'PLAIN', directory: '&{gateway.instance.dir}/secrets' },
        },
        {
          name: 'AuditService',
          type: 'AuditService',
          config: {
            eventHandlers: [
              handler('json.JsonAuditEventHandler', 'json', { logDirectory: 'logs/json', security }),
              handler('csv.CsvAuditEventHandler', 'csv', { logDirectory: 'logs/csv', security }),
              handler('json.stdout.JsonStdoutAuditEventHandler', 'stdout'),
            ],
          },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'ok' } },
    },
  },
}

/** Number of cells of a row. */
const cells = (row: string): number => row.replace(/"(?:[^"]|"")*"/g, '').split(',').length

/** Waits until a file has a text. */
async function until(path: string, text: string): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const content = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (content.includes(text)) return content
    await wait(50)
  }
  throw new Error(`${path} has no ${text}`)
}

test('requests are in JSON, CSV and standard output; SIGHUP and a kill leave a trail that verifies', {
  timeout: 120_000,
}, async () => {
  using instance = new TestInstance(PARTS)
  const json = join(instance.directory, 'logs/json/access.audit.json')
  const csv = join(instance.directory, 'logs/csv/access.csv')
  await using killed = await GatewayProcess.start({ instance })
  await killed.ask('/one')
  const event = JSON.parse((await until(json, '/one')).split('\n').find((line) => line.includes('/one')) as string)
  assert.deepEqual([event.http.request.method, event.response.statusCode], ['GET', '200'])
  const [header = '', ...rows] = (await until(csv, '/one')).split('\n')
  const row = rows.find((line) => line.includes('/one')) as string
  assert.equal(cells(header), cells(row))
  const line = await killed.log.until(/"source":"audit"/)
  assert.deepEqual([line['topic'], line['level']], ['access', 'INFO'])
  for (const path of [json, csv]) renameSync(path, `${path}.1`)
  killed.kill('SIGHUP')
  await killed.ask('/two')
  await Promise.all([until(json, '/two'), until(csv, '/two')])
  killed.kill('SIGKILL')
  await killed.ended
  await using stopped = await GatewayProcess.start({ instance })
  await stopped.ask('/three')
  await Promise.all([until(json, '/three'), until(csv, '/three')])
  stopped.kill('SIGTERM')
  await stopped.exit
  const verify = () => command(['audit', 'verify', '--instance', instance.directory, join(json, '..'), join(csv, '..')])
  const intact = await verify()
  assert.equal(intact.code, 0, intact.stdout + intact.stderr)
  assert.match(intact.stdout, /access\.audit\.json: intact.*\n(?:.*\n)*.*access\.csv: intact/)
  for (const path of [json, csv]) {
    const original = readFileSync(path, 'utf8')
    writeFileSync(path, original.replace('/three', '/other'))
    const found = await verify()
    assert.equal(found.code, 1)
    const line = original.slice(0, original.indexOf('/three')).split('\n').length
    assert.ok(found.stdout.includes(`${path}:${line}: this line was changed`), found.stdout)
    writeFileSync(path, original)
  }
})
