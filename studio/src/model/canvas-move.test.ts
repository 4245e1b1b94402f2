import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JSONPath } from 'jsonc-parser'
import { isOrdered } from './canvas-drop.ts'
import { valueAt } from './canvas-edits.ts'
import { allNodes, canvasModel } from './canvas-model.ts'
import { innerPlace, movedBeside, movedByStep, outerPlace, stepPlace } from './canvas-move.ts'

const TEXT = `{
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [
        { "name": "A", "type": "F" },
        {
          // The second.
          "name": "B",
          "type": "F"
        },
        "C"
      ],
      "handler": {
        "type": "DispatchHandler",
        "config": {
          "bindings": [
            { "handler": { "type": "Chain", "config": { "filters": ["X"], "handler": "One" } } },
            { "handler": "Two" }
          ]
        }
      }
    }
  }
}
`
const OUTER: JSONPath = ['handler', 'config', 'filters']
const BINDINGS: JSONPath = ['handler', 'config', 'handler', 'config', 'bindings']
const INNER: JSONPath = [...BINDINGS, 0, 'handler', 'config', 'filters']

function names(text: string, path: JSONPath): unknown[] {
  const list = valueAt(text, path)
  return Array.isArray(list) ? list.map((one) => (typeof one === 'string' ? one : one.name)) : [list]
}

test('several filters go to another chain in their order, and comments inside of them stay', () => {
  const moved = movedBeside(
    TEXT,
    [
      [...OUTER, 1],
      [...OUTER, 0],
    ],
    { path: [...INNER, 0], side: 'after' },
  )
  assert.ok(moved !== null)
  assert.deepEqual([names(moved.text, OUTER), names(moved.text, INNER)], [['C'], ['X', 'A', 'B']])
  assert.match(moved.text, /\n( +)\{\n\1 {2}\/\/ The second\.\n\1 {2}"name": "B",/)
  assert.deepEqual(moved.paths, [
    [...INNER, 1],
    [...INNER, 2],
  ])
})

test('beside a handler without a chain, one is put around it', () => {
  const moved = movedBeside(TEXT, [[...OUTER, 2]], { path: [...BINDINGS, 1, 'handler'], side: 'before' })
  const chain = JSON.stringify(valueAt(moved?.text ?? '', [...BINDINGS, 1, 'handler']))
  assert.equal(chain, '{"type":"Chain","config":{"filters":["C"],"handler":"Two"}}')
  assert.deepEqual(moved?.paths, [[...BINDINGS, 1, 'handler', 'config', 'filters', 0]])
})

test('filters are reordered within their list; the same order, or a place inside of them, changes nothing', () => {
  const to = (from: number, at: number, side: 'before' | 'after') =>
    movedBeside(TEXT, [[...OUTER, from]], { path: [...OUTER, at], side })
  assert.deepEqual(names(to(0, 2, 'after')?.text ?? '', OUTER), ['B', 'C', 'A'])
  assert.deepEqual(names(to(2, 0, 'before')?.text ?? '', OUTER), ['C', 'A', 'B'])
  assert.deepEqual(to(2, 0, 'before')?.paths, [[...OUTER, 0]])
  assert.equal(to(0, 1, 'before'), null)
  assert.equal(to(0, 0, 'after'), null)
  assert.equal(movedBeside(TEXT, [['handler']], { path: [...OUTER, 0], side: 'after' }), null)
})

test('whatever is moved beside whatever, no object is lost or doubled', () => {
  const filters = allNodes(canvasModel(TEXT)).filter(({ path }) => isOrdered(path))
  const targets = allNodes(canvasModel(TEXT)).filter(({ role, path }) => role !== 'object' && path.length > 0)
  const countOf = (text: string) => (text.match(/"(?:A|B|C|X|One|Two)"/g) ?? []).toSorted().join()
  for (const target of targets) {
    for (const one of filters) {
      for (const other of filters) {
        for (const side of ['before', 'after'] as const) {
          const moved = movedBeside(TEXT, [one.path, other.path], { path: target.path, side })
          if (moved === null) continue
          assert.equal(countOf(moved.text), countOf(TEXT), `${one.name} and ${other.name} ${side} ${target.name}`)
          assert.match(moved.text, /\/\/ The second\./)
          const values = moved.paths.map((path) => JSON.stringify(valueAt(moved.text, path)))
          const expected = [...new Set([one, other])].map(({ path }) => JSON.stringify(valueAt(TEXT, path)))
          assert.deepEqual(values.toSorted(), expected.toSorted())
        }
      }
    }
  }
})

test('the keys move by one place, out of the object around, and into the nearest branch', () => {
  const step = (paths: JSONPath[], by: -1 | 1) => {
    const place = stepPlace(TEXT, paths, by)
    return place === null ? null : names(movedBeside(TEXT, paths, place)?.text ?? '', OUTER)
  }
  assert.deepEqual(step([[...OUTER, 0]], 1), ['B', 'A', 'C'])
  assert.deepEqual(
    step(
      [
        [...OUTER, 1],
        [...OUTER, 2],
      ],
      -1,
    ),
    ['B', 'C', 'A'],
  )
  assert.equal(step([[...OUTER, 0]], -1), null)
  assert.equal(step([[...OUTER, 2]], 1), null)
  const model = canvasModel(TEXT)
  const inside = '/handler/config/handler/config/bindings/0/handler/config/filters/0'
  const out = outerPlace(model, inside) ?? assert.fail('no place')
  assert.deepEqual(names(movedBeside(TEXT, [[...INNER, 0]], out)?.text ?? '', OUTER), ['A', 'B', 'C', 'X'])
  assert.equal(outerPlace(model, '/handler/config/filters/0'), null)
  const into = innerPlace(model, '/handler/config/filters/2') ?? assert.fail('no place')
  assert.deepEqual(names(movedBeside(TEXT, [[...OUTER, 2]], into)?.text ?? '', INNER), ['C', 'X'])
  assert.equal(innerPlace(model, inside), null)
})

const COMMENTED = `{
  "heap": [ // All of them.
    // Of A.
    { "name": "A", /* inside, of A */ "type": "F" }, // Beside A.
    /* Of B. */
    /* Of B too. */ {
      // Inside, of B.
      "name": "B"
    },

    // Of none.

    "C"
  ]
}
`

test('an element of any list is moved by one place with the comments inside of it and directly before it', () => {
  const later = movedByStep(COMMENTED, ['heap', 0], 1)
  assert.equal(
    later?.text,
    `{
  "heap": [ // All of them.
    /* Of B. */
    /* Of B too. */ {
      // Inside, of B.
      "name": "B"
    }, // Beside A.
    // Of A.
    { "name": "A", /* inside, of A */ "type": "F" },

    // Of none.

    "C"
  ]
}
`,
  )
  assert.deepEqual(later?.paths, [['heap', 1]])
  assert.equal(movedByStep(later?.text ?? '', ['heap', 1], -1)?.text, COMMENTED)
  assert.deepEqual(names(movedByStep(COMMENTED, ['heap', 2], -1)?.text ?? '', ['heap']), ['A', 'C', 'B'])
  assert.equal(movedByStep(COMMENTED, ['heap', 0], -1), null)
  assert.equal(movedByStep(COMMENTED, ['heap', 2], 1), null)
  assert.equal(movedByStep(COMMENTED, ['heap'], 1), null)
})

test('a comment directly before a filter goes with it to another chain', () => {
  const text = TEXT.replace('{ "name": "A"', '// The first.\n        { "name": "A"')
  const moved = movedBeside(text, [[...OUTER, 0]], { path: [...INNER, 0], side: 'before' })
  assert.deepEqual(names(moved?.text ?? '', OUTER), ['B', 'C'])
  assert.match(moved?.text ?? '', /"filters": \[\s*\/\/ The first\.\n\s*\{ "name": "A", "type": "F" \},\s*"X"/)
})
