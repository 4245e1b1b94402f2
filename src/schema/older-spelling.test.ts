import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseScope, compile } from '#expression'
import type { JsonObject, JsonValue } from '#json'
import {
  clearText,
  clearTextStore,
  converted,
  decode,
  formatProblem,
  integer,
  object,
  renamed,
  string,
} from './index.ts'

const scope = baseScope({
  env: { PASSWORD: 'open sesame' },
  system: {},
  now: () => 0,
  gateway: { instanceDirectory: '/', configDirectory: '/', temporaryDirectory: '/' },
})

/** The secret that the store of a clear-text value has. */
function stored(value: JsonValue): string {
  const { config } = clearTextStore('id', value) as { config: { stores: { config: { secrets: JsonObject } }[] } }
  const encoded = config.stores[0]?.config.secrets['id'] as string
  return Buffer.from(compile(encoded).evaluate(scope) as string, 'base64').toString('utf8')
}

test('a secret in clear text may be an expression, or text with expressions', () => {
  assert.equal(stored('plain'), 'plain')
  assert.equal(stored("${env['PASSWORD']}"), 'open sesame')
  assert.equal(stored("it's \\ ${env['PASSWORD']}!"), "it's \\ open sesame!")
})

test('a store for a secret in clear text precedes the given provider', () => {
  const spelling = clearText('password', 'passwordSecretId', 'my.password')
  const patch = spelling.convert({ password: 'x' }, { secretsProvider: 'Stores' })
  assert.equal(patch['passwordSecretId'], 'my.password')
  assert.deepEqual((patch['secretsProvider'] as { config: { stores: unknown[] } }).config.stores[1], 'Stores')
  assert.match(spelling.advice, /secrets\/my\.password .* set passwordSecretId to "my\.password"/)
})

test('fields are converted together, with one warning at the first of them', () => {
  const field = object(
    {
      server: object({ host: string(), port: integer() }),
      retries: object({ count: integer() }).default({ count: 1 }),
    },
    {
      older: [
        converted(['host', 'port'], 'server', 'use server', ({ host = null, port = 80 }) => ({
          server: { host, port },
        })),
        renamed('attempts', 'retries.count'),
      ],
    },
  )
  const old = decode(field, { host: 'a', attempts: 3 }, '/config')
  assert.deepEqual(old.value, { server: { host: 'a', port: 80 }, retries: { count: 3 } })
  assert.deepEqual(old.warnings.map(formatProblem), [
    '/config/host: host is deprecated; use server',
    '/config/attempts: attempts is deprecated; use retries.count instead',
  ])
  const both = decode(field, { host: 'a', port: 1, server: { host: 'b', port: 2 } }, '/config')
  assert.deepEqual(both.value?.server, { host: 'b', port: 2 })
  assert.deepEqual(both.warnings.map(formatProblem), [
    '/config/host: host, port and server are both given; server is used',
  ])
  assert.deepEqual(decode(field, { host: 5 }, '/config').problems.map(formatProblem), [
    '/config/host/host: expected a string, got 5',
  ])
})
