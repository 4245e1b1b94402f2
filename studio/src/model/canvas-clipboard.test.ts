// Copy, cut and paste of objects, and removal of several.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copiedText, objectsIn, pasted } from './canvas-clipboard.ts'
import { removedAll, valueAt } from './canvas-edits.ts'
import { canvasModel, inheritedIds } from './canvas-model.ts'

const KINDS: Readonly<Record<string, string>> = {
  HeaderFilter: 'Filter',
  CookieFilter: 'Filter',
  StaticResponseHandler: 'Handler',
  ReverseProxyHandler: 'Handler',
}
const kindOf = (type: string) => KINDS[type] ?? null
const FILTERS = ['handler', 'config', 'filters']
const ROUTE = `{
  // kept
  "heap": [{ "name": "Shared", "type": "HeaderFilter" }],
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [{ "name": "A", "type": "HeaderFilter" }, "Shared", { "name": "C", "type": "CookieFilter" }, "Elsewhere"],
      "handler": "ReverseProxyHandler"
    }
  }
}
`

function plain(text: string, path: (string | number)[]): unknown {
  return JSON.parse(JSON.stringify(valueAt(text, path)))
}

test('objects are copied in the order of the list, one of them as itself', () => {
  const both = copiedText(ROUTE, [
    [...FILTERS, 2],
    [...FILTERS, 0],
  ])
  assert.deepEqual(objectsIn(both ?? ''), [
    { name: 'A', type: 'HeaderFilter' },
    { name: 'C', type: 'CookieFilter' },
  ])
  assert.deepEqual(JSON.parse(copiedText(ROUTE, [[...FILTERS, 0]]) ?? ''), { name: 'A', type: 'HeaderFilter' })
  assert.equal(copiedText(ROUTE, []), null)
})

test('a text that is no object is not pasted', () => {
  for (const text of ['', 'hello', '3', 'null', '{}', '[1]', '{"type":3}']) assert.deepEqual(objectsIn(text), [], text)
})

test('filters are pasted after the selected one in their order, with names that are free', () => {
  const values = [{ name: 'A', type: 'HeaderFilter' }, 'Shared', { name: 'New', type: 'CookieFilter' }]
  const text = pasted(ROUTE, values, kindOf, [...FILTERS, 0])
  assert.deepEqual(plain(text, FILTERS), [
    { name: 'A', type: 'HeaderFilter' },
    { name: 'A-2', type: 'HeaderFilter' },
    'Shared',
    { name: 'New', type: 'CookieFilter' },
    'Shared',
    { name: 'C', type: 'CookieFilter' },
    'Elsewhere',
  ])
  assert.match(text, /\/\/ kept/)
})

test('a handler is pasted in place, filters before it, and an object of another kind into the heap', () => {
  const values = [{ type: 'HeaderFilter' }, { type: 'StaticResponseHandler' }, { name: 'T', type: 'ScheduledExecutor' }]
  const text = pasted('{ "handler": "ReverseProxyHandler" }', values, kindOf, ['handler'])
  assert.deepEqual(plain(text, []), {
    handler: {
      type: 'Chain',
      config: { filters: [{ type: 'HeaderFilter' }], handler: { type: 'StaticResponseHandler' } },
    },
    heap: [{ name: 'T', type: 'ScheduledExecutor' }],
  })
})

test('several objects are removed at once, in whatever order they were selected', () => {
  const text = removedAll(ROUTE, [
    [...FILTERS, 0],
    [...FILTERS, 2],
    ['heap', 0],
    [...FILTERS, 1],
  ])
  assert.deepEqual(plain(text, FILTERS), ['Elsewhere'])
  assert.deepEqual(plain(text, ['heap']), [])
  assert.match(text, /\/\/ kept/)
})

test('an object inside a removed one is removed with it', () => {
  assert.deepEqual(
    plain(removedAll(ROUTE, [['handler'], [...FILTERS, 0]]), []),
    plain(removedAll(ROUTE, [['handler']]), []),
  )
})

test('references to objects that the route does not declare are inherited', () => {
  assert.deepEqual([...inheritedIds(canvasModel(ROUTE))], ['/handler/config/filters/3', '/handler/config/handler'])
})
