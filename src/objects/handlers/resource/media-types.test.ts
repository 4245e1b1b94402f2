import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentTypeOf } from './media-types.ts'

const types: readonly [string, string][] = [
  ['a.HTML', 'text/html; charset=utf-8'],
  ['a.mjs', 'text/javascript; charset=utf-8'],
  ['a.min.css', 'text/css; charset=utf-8'],
  ['a.json', 'application/json'],
  ['a.svg', 'image/svg+xml'],
  ['a.woff2', 'font/woff2'],
  ['a.tar.gz', 'application/octet-stream'],
  ['html', 'application/octet-stream'],
  ['a.', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['a.__proto__', 'application/octet-stream'],
]

for (const [name, type] of types) {
  test(`${name} is ${type}`, () => {
    assert.equal(contentTypeOf(name), type)
  })
}
