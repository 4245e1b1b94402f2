// Objects that are dropped on the canvas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertedBeside, placeAtPoint } from './canvas-drop.ts'
import { valueAt } from './canvas-edits.ts'
import { layoutOf, NODE_HEIGHT, NODE_WIDTH, ROW } from './canvas-layout.ts'
import { canvasModel, pointerOf } from './canvas-model.ts'

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

test('the place for filters at a point is beside the nearest object that is not moved; far from all there is none', () => {
  const layout = layoutOf(canvasModel(CHAIN), new Set())
  const [entry, a, b, c, handler] = layout.nodes
  assert.ok(entry !== undefined && a !== undefined && b !== undefined && c !== undefined && handler !== undefined)
  const placeOf = (x: number, y: number, ...moved: string[]) => {
    const place = placeAtPoint(layout, { x, y }, new Set(moved))
    return place === null ? null : `${place.side} ${pointerOf(place.path)}`
  }
  const middle = NODE_HEIGHT / 2
  assert.equal(placeOf(b.x + 10, middle), 'after /handler/config/filters/0')
  assert.equal(placeOf(b.x + 10, middle, a.node.id), 'before /handler/config/filters/1')
  assert.equal(placeOf(b.x + NODE_WIDTH - 10, middle), 'after /handler/config/filters/1')
  assert.equal(placeOf(b.x + NODE_WIDTH - 10, middle, c.node.id), 'after /handler/config/filters/1')
  assert.equal(placeOf(b.x + 10, middle, b.node.id), 'after /handler/config/filters/0')
  assert.equal(placeOf(handler.x + NODE_WIDTH, middle, c.node.id), null)
  assert.equal(placeOf(handler.x, middle, c.node.id), 'before /handler/config/handler')
  assert.equal(placeOf(entry.x, middle, a.node.id), null)
  assert.equal(placeOf(b.x, middle + ROW), null)
})
