import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchangeFor } from '#test/exchange'
import { isOfOwnPage } from './own-page.ts'

const PAGE = 'http://app.example/page'
const isOwn = (headers: Record<string, string | string[]>, url = PAGE) =>
  isOfOwnPage(exchangeFor('POST', url, { headers }))

test('Sec-Fetch-Site tells pages of the origin from others', () => {
  for (const site of ['same-origin', 'none']) assert.equal(isOwn({ 'Sec-Fetch-Site': site, Origin: 'null' }), true)
  for (const site of ['cross-site', 'same-site', '']) assert.equal(isOwn({ 'Sec-Fetch-Site': site }), false)
  assert.equal(isOwn({ 'Sec-Fetch-Site': ['same-origin', 'cross-site'] }), false)
})

test('without it Origin does, by its host and port', () => {
  for (const origin of ['http://app.example', 'https://app.example', 'http://APP.example:80'])
    assert.equal(isOwn({ Origin: origin }), true, origin)
  for (const origin of [
    'http://evil.example',
    'http://app.example.evil',
    'http://app.example:81',
    'null',
    'app.example',
  ])
    assert.equal(isOwn({ Origin: origin }), false, origin)
  assert.equal(isOwn({ Origin: 'http://app.example:8080' }, 'http://app.example:8080/page'), true)
  assert.equal(isOwn({}), true)
})
