import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { type Handler, respond } from '#http'
import type { JsonValue } from '#json'
import type { RouterSettings } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../static-response/static-response-handler.ts'
import { Router } from './router.ts'

/** Builds a Router and returns the settings that it passed to its host. */
async function settingsOf(config: JsonValue): Promise<{ asked: RouterSettings; directory: string }> {
  const asked: RouterSettings[] = []
  const handler: Handler = async () => respond(204)
  const router = {
    openRouter: async (settings: RouterSettings) => {
      asked.push(settings)
      return handler
    },
  }
  await using built = await build<Handler>(Router, config, { router, types: [StaticResponseHandler], name: '_router' })
  assert.equal((await built.object(exchangeFor('GET', 'http://gateway.example/'))).status, 204)
  return { asked: asked[0] as RouterSettings, directory: built.directory }
}

test('scans config/routes every ten seconds by default, under its own name', async () => {
  const { asked, directory } = await settingsOf({})
  assert.deepEqual(asked, {
    name: '_router',
    directory: join(directory, 'config', 'routes'),
    scanInterval: 10_000,
    order: 'name',
    defaultHandler: null,
  })
})

test('a relative directory is in the config folder', async () => {
  const relative = await settingsOf({ directory: 'team-a' })
  assert.equal(relative.asked.directory, join(relative.directory, 'config', 'team-a'))
  const absolute = await settingsOf({ directory: resolve('/srv/routes') })
  assert.equal(absolute.asked.directory, resolve('/srv/routes'))
})

const intervals: readonly (readonly [JsonValue, number])[] = [
  ['5 minutes', 300_000],
  ['disabled', 0],
  ['${"2 seconds"}', 2000],
  [15, 15_000],
  ['15', 15_000],
  ['-1', 0],
  [-1, 0],
  [0, 0],
]
for (const [written, milliseconds] of intervals) {
  test(`a scanInterval of ${JSON.stringify(written)} is ${milliseconds} ms`, async () => {
    assert.equal((await settingsOf({ scanInterval: written })).asked.scanInterval, milliseconds)
  })
}

test('passes its default handler to its host', async () => {
  const { asked } = await settingsOf({ defaultHandler: { type: 'StaticResponseHandler', config: { status: 404 } } })
  assert.equal(typeof asked.defaultHandler, 'function')
})

const refused: readonly (readonly [JsonValue, string])[] = [
  [{ scanInterval: 'unlimited' }, '/heap/0/config/scanInterval: expected a limited duration, got "unlimited"'],
  [{ scanInterval: 'often' }, '/heap/0/config/scanInterval: expected a duration such as "10 seconds", got "often"'],
  [{ directory: '' }, '/heap/0/config/directory: expected a string that is not empty'],
  [{ directori: 'x' }, '/heap/0/config/directori: unknown field; did you mean "directory"?'],
]
for (const [config, message] of refused) {
  test(`refuses ${JSON.stringify(config)}`, async () => {
    await assert.rejects(settingsOf(config), { code: 'GW_CONFIG_INVALID', message })
  })
}
