// Secrets in a whole gateway: keystores replaced under load (threats B51, F22), passwords of every store in scope.
import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { keyStoreWith } from '#test/test-identity'

const PASSWORD = 'changeit'

/** A route that publishes the keys of a keystore in the folder of the instance. */
const keysRoute = (more: JsonObject = {}): JsonObject => ({
  condition: "${request.uri.path == '/keys'}",
  heap: [
    {
      name: 'keys',
      type: 'KeyStoreSecretStore',
      config: {
        file: 'secrets/keys.p12',
        storePasswordSecretId: 'keys.password',
        secretsProvider: { type: 'FileSystemSecretStore', config: { directory: 'secrets', format: 'PLAIN' } },
        mappings: [{ secretId: 'signing', aliasesMatching: ['key-.*'] }],
        leaseExpiry: '1 hour',
      },
    },
  ],
  handler: {
    type: 'JwkSetHandler',
    config: { secretsProvider: 'keys', purposes: [{ secretId: 'signing', keyUsage: 'SIGN' }] },
  },
  ...more,
})

const config = { handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } } }

async function kids(gateway: RunningGateway): Promise<string[]> {
  const answer = await gateway.ask('/keys')
  assert.equal(answer.status, 200, answer.text)
  return (JSON.parse(answer.text) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
}

async function start(): Promise<RunningGateway> {
  const gateway = await RunningGateway.start({ units: 2, files: { 'config/config.json': config }, routes: {} })
  gateway.instance.write('secrets/keys.password', PASSWORD)
  return gateway
}

const place = (gateway: RunningGateway) => join(gateway.instance.directory, 'secrets/keys.p12')

test('B51, F22: a keystore is rotated, truncated, deleted and restored under load; no request fails', async () => {
  await using gateway = await start()
  writeFileSync(place(gateway), keyStoreWith('key-1'))
  await gateway.deploy('keys', keysRoute())

  const shown = async (expected: string): Promise<void> => {
    const deadline = performance.now() + 5_000
    // Both units must have loaded the change; requests go to either.
    for (let same = 0; same < 20; same = (await kids(gateway)).join() === expected ? same + 1 : 0) {
      assert.ok(performance.now() < deadline, `the keys ${expected} are not shown`)
    }
  }
  await shown('key-1')
  for (const aliases of [['key-0', 'key-1'], ['key-0'], ['key-0', 'key-2'], ['key-2']]) {
    writeFileSync(`${place(gateway)}.new`, keyStoreWith(...aliases))
    renameSync(`${place(gateway)}.new`, place(gateway))
    await shown(aliases.join())
  }

  const from = gateway.log.lines.length
  writeFileSync(place(gateway), keyStoreWith('key-3').subarray(0, 100))
  await gateway.log.until(/its last good secrets are used until their lease ends/, from)
  await shown('key-2')
  rmSync(place(gateway))
  await gateway.log.until(/ENOENT/, from)
  await shown('key-2')
  writeFileSync(place(gateway), keyStoreWith('key-4'))
  await shown('key-4')
  assert.doesNotMatch(gateway.log.lines.join('\n'), new RegExp(PASSWORD))
})

test('a password that is not in the own provider is looked up in the route, then in config.json', async () => {
  const none = { type: 'Base64EncodedSecretStore', config: { secrets: {} } }
  const known = { type: 'Base64EncodedSecretStore', config: { secrets: { 'keys.password': btoa(PASSWORD) } } }
  const own = (more: JsonObject): JsonObject => {
    const route = keysRoute(more)
    const [store] = route['heap'] as [{ config: JsonObject }]
    store.config['secretsProvider'] = none
    return route
  }
  await using gateway = await RunningGateway.start({
    units: 1,
    files: { 'config/config.json': { ...config, secrets: { stores: [none] } } },
    routes: {},
  })
  gateway.instance.write('secrets/none', '')
  writeFileSync(place(gateway), keyStoreWith('key-1'))
  await gateway.deploy('keys', own({}))
  assert.match(gateway.problems('keys.json').join(), /no secret store knows the secret id "keys.password"/)
  await gateway.deploy('keys', own({ secrets: { stores: [known] } }))
  assert.deepEqual(gateway.problems('keys.json'), [])
  assert.deepEqual(await kids(gateway), ['key-1'])

  await using inherited = await RunningGateway.start({
    units: 1,
    files: { 'config/config.json': { ...config, secrets: { stores: [known] } } },
    routes: {},
  })
  inherited.instance.write('secrets/none', '')
  writeFileSync(place(inherited), keyStoreWith('key-1'))
  await inherited.deploy('keys', own({}))
  assert.deepEqual(await kids(inherited), ['key-1'])
})

test('a route whose keystore can not be opened is rejected with its name, without the password', async () => {
  await using gateway = await start()
  writeFileSync(place(gateway), keyStoreWith('key-1'))
  gateway.instance.write('secrets/keys.password', 'wrong-horse')
  await gateway.deploy('keys', keysRoute())
  assert.match(
    gateway.problems('keys.json').join(),
    /\/heap\/0\/config\/file: the keystore ".*keys.p12" can not be opened/,
  )
  gateway.instance.write('secrets/keys.password', `${PASSWORD}\n`)
  await gateway.deploy('keys', { ...keysRoute(), name: 'again' })
  assert.match(
    gateway.problems('keys.json').join(),
    /the secret id "keys.password" in the file .* ends in a line break/,
  )
  await gateway.deploy('other', pathRoute('/other', 'served'))
  assert.equal((await gateway.ask('/other')).status, 200)
  assert.doesNotMatch(gateway.log.lines.join('\n'), /wrong-horse|changeit/)
})
