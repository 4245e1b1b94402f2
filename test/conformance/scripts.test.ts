// "OAuth2ResourceServerFilter: ScriptableResourceAccess" of the specification, and the script rows of the decisions, end to end.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { RunningGateway } from '#test/gateway'

const page = readFileSync(
  join(import.meta.dirname, '../../src/objects/access/scriptable/scriptable-resource-access.md'),
  'utf8',
)
const [, shown = ''] = /^```json\n([\s\S]*?)^```/m.exec(page) ?? []

const JAVASCRIPT = 'application/javascript'

/** A protected route for one path: tokens and scopes by script. */
function guarded(path: string, tokens: Readonly<Record<string, unknown>>, scopes: Readonly<Record<string, unknown>>) {
  return {
    condition: `\${request.uri.path == '${path}'}`,
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'OAuth2ResourceServerFilter',
            config: {
              requireHttps: false,
              realm: 'r',
              accessTokenResolver: { type: 'ScriptableAccessTokenResolver', config: { type: JAVASCRIPT, ...tokens } },
              scopes: { type: 'ScriptableResourceAccess', config: { type: JAVASCRIPT, ...scopes } },
            },
          },
        ],
        handler: {
          type: 'StaticResponseHandler',
          config: { status: 200, entity: '${contexts.oauth2.accessToken.info.sub}' },
        },
      },
    },
  }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const KNOWN = { source: "return token === 'good' ? { sub: 'me', scope: 'a b' } : null" }

describe('ScriptableResourceAccess and ScriptableAccessTokenResolver', () => {
  test('the script is evaluated per request and returns the set of scopes the request needs', async () => {
    await using gateway = await RunningGateway.reuse({ routes: { orders: shown } })
    const status = async (method: string, token: string) =>
      (await gateway.ask('/orders', { method, ...bearer(token) })).status
    assert.deepEqual(
      [await status('GET', 'reader'), await status('POST', 'reader'), await status('POST', 'writer')],
      [204, 403, 204],
    )
    assert.deepEqual([await status('GET', 'unknown'), (await gateway.ask('/orders')).status], [401, 401])
  })

  test('file, args and an empty set; a rejection names the required scopes', async () => {
    await using gateway = await RunningGateway.reuse({
      files: {
        'scripts/javascript/scopes.js': 'return new Set(needed)',
        'scripts/typescript/none.ts': 'const none: string[] = []\nreturn none',
      },
      routes: {
        some: guarded('/some', KNOWN, { file: 'scopes.js', args: { needed: ['a', 'c'] } }),
        none: guarded('/none', KNOWN, { type: 'application/typescript', file: 'none.ts' }),
      },
    })
    const refused = await gateway.ask('/some', bearer('good'))
    assert.equal(refused.status, 403)
    assert.match(String(refused.headers['www-authenticate']), /error="insufficient_scope".*scope="a c"/)
    const admitted = await gateway.ask('/none', bearer('good'))
    assert.deepEqual([admitted.status, admitted.text], [200, 'me'])
  })

  test('a failing script grants no access', async () => {
    const none = { source: 'return []' }
    await using gateway = await RunningGateway.start({
      admin: { scriptTimeout: '500 ms', scriptDeadline: '2 seconds' },
      routes: {
        a: guarded('/scopes-null', KNOWN, { source: 'return null' }),
        b: guarded('/scopes-throw', KNOWN, { source: 'throw new Error("no")' }),
        c: guarded('/scopes-loop', KNOWN, { source: 'await 1; for (;;);' }),
        d: guarded('/token-throw', { source: 'throw new Error("no")' }, none),
        e: guarded('/token-loop', { source: 'for (;;);' }, none),
        f: guarded('/token-text', { source: 'return "me"' }, none),
        g: guarded('/token-waits', { source: 'await new Promise(() => {})' }, none),
        h: guarded('/token-inactive', { source: 'return { active: false }' }, none),
        i: guarded('/token-expired', { source: 'return { exp: 1 }' }, none),
        j: guarded('/token-nonsense', { source: 'return { scope: {} }' }, none),
      },
    })
    const status = async (path: string) => (await gateway.ask(path, bearer('good'))).status
    for (const path of [
      '/scopes-null',
      '/scopes-throw',
      '/scopes-loop',
      '/token-throw',
      '/token-loop',
      '/token-text',
      '/token-waits',
    ])
      assert.equal(await status(path), 500, path)
    for (const path of ['/token-inactive', '/token-expired']) assert.equal(await status(path), 401, path)
    assert.equal(await status('/token-nonsense'), 503)
  })
})
