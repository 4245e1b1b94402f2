import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CATALOGUE } from '#catalogue'
import { openAdminSettings } from '#control'
import type { JsonObject } from '#json'
import { createLogger } from '#logging'
import { ConfigError } from '#schema'
import { Folder } from '#test/folder'

const ENDPOINT = 'http://127.0.0.1:2379'

async function opened(config: JsonObject, others: JsonObject = {}, files: Record<string, string> = {}) {
  using folder = new Folder(files)
  const json = { store: { type: 'EtcdStore', config }, ...others }
  const logger = createLogger({ level: 'silent' })
  const settings = await openAdminSettings(json, { instance: folder.path, types: CATALOGUE, env: {}, logger })
  const { store } = settings.fleet!
  const shown = { ...store, password: store.password(), warnings: settings.warnings, fleet: settings.fleet }
  await settings.dispose()
  return shown
}

async function problems(config: JsonObject, others: JsonObject = {}): Promise<string[]> {
  try {
    await opened(config, others)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  }
}

describe('EtcdStore', () => {
  test('has defaults for all but its endpoints', async () => {
    const { endpoints, prefix, username, password, tls, maxReleaseSize, keepReleases } = await opened({
      endpoints: [ENDPOINT],
    })
    assert.deepEqual([endpoints, prefix, username, password, tls], [[ENDPOINT], '/identity-gateway', null, null, null])
    assert.deepEqual([maxReleaseSize, keepReleases], [64 * 1024 * 1024, 100])
  })

  test('reads its password from a file in secrets/, without the line break', async () => {
    const config = { endpoints: [ENDPOINT], username: 'gateway', passwordSecretId: 'etcd.password' }
    const { password, warnings } = await opened(config, {}, { 'secrets/etcd.password': 'opensesame\n' })
    assert.equal(password, 'opensesame')
    assert.deepEqual(warnings, [])
    const [missing, ...more] = await problems(config)
    assert.match(
      missing ?? '',
      /^\/store\/config\/passwordSecretId: there is no file .*etcd\.password; write the password/,
    )
    assert.deepEqual(more, [])
  })

  test('warns of a password that is sent in clear text', async () => {
    const config = {
      endpoints: ['http://etcd.example.com:2379'],
      username: 'gateway',
      passwordSecretId: 'etcd.password',
    }
    const { warnings } = await opened(config, {}, { 'secrets/etcd.password': 'x' })
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['the password for etcd is sent in clear text over http; use https for endpoints'],
    )
  })

  test('wrong values have the pointer and what is expected', async () => {
    const at = '/store/config'
    const cases: readonly (readonly [JsonObject, string])[] = [
      [{}, `${at}/endpoints: expected an array of URL (http://, https://); this field is required`],
      [{ endpoints: [] }, `${at}/endpoints: expected at least one element`],
      [
        { endpoints: ['127.0.0.1:2379'] },
        `${at}/endpoints/0: expected a URL (http://, https://), got "127.0.0.1:2379"`,
      ],
      [
        { endpoints: ['http://a:b@127.0.0.1:2379'] },
        `${at}/endpoints/0: expected no name and password in the URL; use username and passwordSecretId`,
      ],
      [
        { endpoints: ['http://127.0.0.1:2379/v3'] },
        `${at}/endpoints/0: expected a scheme, a host and a port, without a path; the path of keys is prefix`,
      ],
      [
        { endpoints: ['http://127.0.0.1:1', 'https://127.0.0.1:2'] },
        `${at}/endpoints: expected only http or only https URLs, got both`,
      ],
      [
        { endpoints: [ENDPOINT], prefix: 'gateway/' },
        `${at}/prefix: expected a path such as /identity-gateway: a slash and letters, digits, ".", "_", "-"; got "gateway/"`,
      ],
      [{ endpoints: [ENDPOINT], username: 'a' }, `${at}: username needs passwordSecretId`],
      [
        { endpoints: [ENDPOINT], tls: { type: 'ClientTlsOptions', config: {} } },
        `${at}/tls: expected none beside endpoints of http; use https`,
      ],
      [{ endpoints: [ENDPOINT], keepReleases: 0 }, `${at}/keepReleases: expected an integer from 1 to 10000, got 0`],
      [{ endpoints: [ENDPOINT], endpoint: 1 }, `${at}/endpoint: unknown field; did you mean "endpoints"?`],
    ]
    const found = await Promise.all(cases.map(([config]) => problems(config)))
    assert.deepEqual(
      found,
      cases.map(([, expected]) => [expected]),
    )
  })

  test('an unknown type of store gets a suggestion', async () => {
    const found = await problems({}, { store: { type: 'EtcdStor', config: { endpoints: [ENDPOINT] } } })
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^\/store\/type: .*EtcdStor.*did you mean "EtcdStore"/)
  })

  test('instanceId and labels are checked', async () => {
    const { fleet } = await opened({ endpoints: [ENDPOINT] }, { instanceId: 'eu-1.a', labels: { stage: 'canary' } })
    assert.deepEqual([fleet?.instanceId, fleet?.labels], ['eu-1.a', { stage: 'canary' }])
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, '']))
    assert.deepEqual(await problems({ endpoints: [ENDPOINT] }, { instanceId: '../a', labels: many }), [
      '/instanceId: expected at most 128 letters, digits, ".", "_" and "-", the first a letter or digit; got "../a"',
      '/labels: expected at most 64 labels',
    ])
    assert.deepEqual(await problems({ endpoints: [ENDPOINT] }, { labels: { 'a/b': 'x'.repeat(300) } }), [
      '/labels/a~1b: expected a name and a value of at most 256 characters',
    ])
    assert.deepEqual(await problems({ endpoints: [ENDPOINT] }, { labels: { stage: 1 } }), [
      '/labels/stage: expected a string, got 1',
    ])
  })
})
