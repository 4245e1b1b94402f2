import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessTokenResolver, TokenResolution } from '#contracts'
import { respond } from '#http'
import { manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import type { RecentCredentials } from '../../lib/tokens/credentials.ts'
import { RecentValues } from '../../lib/tokens/recent-values.ts'
import { Admission } from './admission.ts'

const INVALID: TokenResolution = { outcome: 'invalid', description: 'unknown' }

/** An admission whose resolver knows the tokens of a set without a promise, as a cache does. */
function admissionOf(valid: ReadonlySet<string>) {
  const recentCredentials: RecentCredentials = new RecentValues()
  const resolver: AccessTokenResolver = {
    resolve: (token) =>
      valid.has(token)
        ? { outcome: 'valid', accessToken: { token, info: {}, scopes: new Set(), expiresAt: null } }
        : INVALID,
  }
  const { filter } = new Admission({
    resolver,
    recentCredentials,
    requiredScopes: () => [],
    realm: 'test',
    requireHttps: false,
    allowBoundTokens: false,
    target: null,
    clock: manualClock(),
    env: { name: 'test' },
    onUpgrade: null,
  })
  const ask = async (...fields: readonly string[]): Promise<number> => {
    const exchange = exchangeFor('GET', 'http://app.example/', { headers: { Authorization: fields } })
    return (await filter(exchange, async () => respond(200))).status
  }
  return { ask, recentCredentials }
}

test('B60: only valid tokens are remembered: invented ones, and credentials of other schemes, take no memory', async () => {
  const { ask, recentCredentials } = admissionOf(new Set(['good']))
  for (let n = 0; n < 100; n++) assert.equal(await ask(`Bearer invented-${n}`), 401)
  assert.deepEqual([await ask('Basic dXNlcjpwYXNz'), await ask('Bearer a b')], [401, 400])
  assert.equal(recentCredentials.size, 0)
  assert.deepEqual([await ask('Bearer good'), await ask('Bearer good')], [200, 200])
  assert.equal(recentCredentials.size, 1)
})

test('B47: a second field is rejected, also after a remembered one', async () => {
  const { ask } = admissionOf(new Set(['good']))
  await ask('Bearer good')
  assert.equal(await ask('Bearer good', 'Bearer good'), 400)
  assert.equal(await ask('Basic dXNlcjpwYXNz', 'Bearer good'), 400)
})

test('B54: a remembered token that became invalid is rejected', async () => {
  const valid = new Set(['good'])
  const { ask } = admissionOf(valid)
  assert.equal(await ask('Bearer good'), 200)
  valid.clear()
  assert.equal(await ask('Bearer good'), 401)
})
