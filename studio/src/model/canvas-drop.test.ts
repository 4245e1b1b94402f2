// Objects that are dropped on the canvas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertedBeside, stepsAtDrop } from './canvas-drop.ts'
import { moved, valueAt } from './canvas-edits.ts'
import { layoutOf } from './canvas-layout.ts'
import { canvasModel } from './canvas-model.ts'

const FILTERS = ['handler', 'config', 'filters']
const NEW = { type: 'New' }
const CHAIN = '{ "handler": { "type": "Chain", "config": { "filters": ["a", "b", "c"], "handler": "h" } } }'

function plain(text: string, path: (string | number)[]): unknown {
  return JSON.parse(JSON.stringify(valueAt(text, path)))
}

test('a filter dropped on a filter is inserted on that side of it', () => {
  assert.deepEqual(plain(insertedBeside(CHAIN, 'Filter', NEW, [...FILTERS, 1], 'before'), FILTERS), [
    'a',
    NEW,
    'b',
    'c',
  ])
  assert.deepEqual(plain(insertedBeside(CHAIN, 'Filter', NEW, [...FILTERS, 1], 'after'), FILTERS), ['a', 'b', NEW, 'c'])
})

test('a filter dropped on the handler of a Chain is the last, on the condition the first', () => {
  const handler = ['handler', 'config', 'handler']
  assert.deepEqual(plain(insertedBeside(CHAIN, 'Filter', NEW, handler, 'after'), FILTERS), ['a', 'b', 'c', NEW])
  assert.deepEqual(plain(insertedBeside(CHAIN, 'Filter', NEW, ['condition'], 'after'), FILTERS), [NEW, 'a', 'b', 'c'])
})

test('a filter dropped on a handler of a branch makes a Chain around that handler', () => {
  const text = '{ "handler": { "type": "DispatchHandler", "config": { "bindings": [{ "handler": "h" }] } } }'
  const path = ['handler', 'config', 'bindings', 0, 'handler']
  const chain = { type: 'Chain', config: { filters: [NEW], handler: 'h' } }
  assert.deepEqual(plain(insertedBeside(text, 'Filter', NEW, path, 'before'), path), chain)
  assert.deepEqual(
    plain(insertedBeside('{ "handler": "h" }', 'Filter', NEW, ['condition'], 'after'), ['handler']),
    chain,
  )
})

test('a handler dropped on a handler replaces it; another object goes to the heap', () => {
  const handler = ['handler', 'config', 'handler']
  assert.deepEqual(plain(insertedBeside(CHAIN, 'Handler', NEW, handler, 'before'), handler), NEW)
  assert.deepEqual(plain(insertedBeside(CHAIN, null, NEW, handler, 'before'), ['heap']), [NEW])
})

test('a filter dragged past others of its list moves by as many places, off its row by none', () => {
  const layout = layoutOf(canvasModel(CHAIN), new Set())
  const [, a, b, c] = layout.nodes
  assert.ok(a !== undefined && b !== undefined && c !== undefined)
  const drop = (id: string, x: number, y: number) => stepsAtDrop(layout, id, { x, y })
  assert.equal(drop(a.node.id, c.x + 20, a.y), 2)
  assert.equal(drop(a.node.id, b.x + 20, a.y + 40), 1)
  assert.equal(drop(c.node.id, a.x - 20, a.y), -2)
  assert.equal(drop(b.node.id, b.x + 20, b.y), 0)
  assert.equal(drop(a.node.id, c.x + 20, a.y + 400), 0)
  assert.equal(drop('/handler/config/handler', a.x - 20, a.y), 0)
  assert.deepEqual(plain(moved(CHAIN, c.node.path, -2), FILTERS), ['c', 'a', 'b'])
})
