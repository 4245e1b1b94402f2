import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InheritedObject } from '../api/scope.ts'
import { layoutOf } from './canvas-layout.ts'
import { canvasModel } from './canvas-model.ts'

const INHERITED: readonly InheritedObject[] = [
  { name: 'AmService', type: 'AmService', kind: 'AmService', from: 'config.json' },
  { name: 'Shared', type: 'HeaderFilter', kind: 'Filter', from: 'config.json' },
  { name: 'Unused', type: 'HeaderFilter', kind: 'Filter', from: 'config.json' },
  { name: 'ReverseProxyHandler', type: 'ReverseProxyHandler', kind: 'Handler', from: null },
  { name: 'capture', type: 'CaptureDecorator', kind: 'Decorator', from: null },
]
const ROUTE = JSON.stringify({
  name: 'one',
  capture: 'all',
  mine: true,
  properties: { capture: 1 },
  heap: [
    { name: 'mine', type: 'TimerDecorator' },
    { name: 'Store', type: 'FileSystemSecretStore', config: { directory: 'AmService is not named here' } },
  ],
  handler: {
    type: 'Chain',
    config: {
      filters: [
        'Shared',
        { type: 'SingleSignOnFilter', config: { amService: 'AmService', more: [{ secretsProvider: 'Store' }] } },
        { type: 'SwitchFilter', config: { onRequest: [{ condition: 'x', handler: 'ReverseProxyHandler' }] } },
      ],
      handler: 'ReverseProxyHandler',
    },
  },
})

test('decorators of the route are on its entry; other keys of a route are none', () => {
  assert.deepEqual(canvasModel(ROUTE, INHERITED).flow[0]?.decorators, ['capture', 'mine'])
  assert.deepEqual(canvasModel('{ "name": "one", "handler": "x" }', INHERITED).flow[0]?.decorators, [])
})

test('inherited objects that are used stand beside the route, each linked from where it is named', () => {
  const model = canvasModel(ROUTE, INHERITED)
  assert.deepEqual(
    model.inherited.map(({ name, type, origin }) => [name, type, origin]),
    [
      ['AmService', 'AmService', 'config.json'],
      ['Shared', 'HeaderFilter', 'config.json'],
    ],
  )
  const links = layoutOf(model, new Set()).edges.filter(({ isReference }) => isReference)
  assert.deepEqual(links.map(({ from, to }) => `${from} > ${to}`).toSorted(), [
    '/handler/config/filters/0 > inherited Shared',
    '/handler/config/filters/1 > /heap/1',
    '/handler/config/filters/1 > inherited AmService',
  ])
})

test('an object of the route hides an inherited one of its name', () => {
  const own = { heap: [{ name: 'Shared', type: 'CookieFilter' }], handler: 'Shared' }
  assert.deepEqual(canvasModel(JSON.stringify(own), INHERITED).inherited, [])
})
