import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicSuffix } from './public-suffix.ts'

for (const suffix of ['com', 'co.uk', 'github.io', 'herokuapp.com', 'xn--p1ai', 'b.kawasaki.jp']) {
  test(`${suffix} is a public suffix`, () => assert.equal(isPublicSuffix(suffix), true))
}

for (const domain of [
  'example.com',
  'shop.co.uk',
  'me.github.io',
  'city.kawasaki.jp',
  'internal',
  'app.internal',
  'localhost',
  '127.0.0.1',
  '[::1]',
  '',
  'a..b',
]) {
  test(`${JSON.stringify(domain)} is not in the list of public suffixes`, () => {
    assert.equal(isPublicSuffix(domain), false)
  })
}
