import assert from 'node:assert/strict'
import { test } from 'node:test'
import { titleOf } from './page-title.ts'
import { isRouter, routePage, routerOfPage } from './paths.ts'

test('a page has the router in its path, also one below a route', () => {
  for (const router of ['_router', '_router/routes/outer/objects/inner', '_router/routes/a%20b/objects/x.y']) {
    const [, , part = ''] = routePage(router, 'hello').split('/')
    assert.equal(routerOfPage(part), router)
    assert.equal(isRouter(router), true)
  }
})

test('a link can not lead the requests of a page to another part of the API', () => {
  for (const router of ['..', '../../studio', '_router/../x', '_router/%2e%2E/x', 'a?b', 'a#b', 'a\\b', '', 'a//b']) {
    assert.equal(isRouter(router), false, router)
  }
})

test('each page has its title', () => {
  const titles = ['/routes', '/routes/_router/hello', '/try-it', '/'].map(titleOf)
  const product = 'Identity Gateway Studio'
  assert.deepEqual(titles, [`Routes - ${product}`, `hello - ${product}`, `Try it - ${product}`, product])
})
