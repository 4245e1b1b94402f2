import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouteFile } from './route-files.ts'
import { parseRouteFile } from './route-files.ts'
import { planRoutes, type ServedRoute } from './route-plan.ts'

type Json = Readonly<Record<string, unknown>> | string

function files(contents: Readonly<Record<string, Json>>): Map<string, RouteFile> {
  const entries = Object.entries(contents).map(([name, json]) => {
    const text = typeof json === 'string' ? json : JSON.stringify(json)
    return [`${name}.json`, parseRouteFile(`${name}.json`, text, '')] as const
  })
  return new Map(entries)
}

function serving(contents: Readonly<Record<string, Json>>, incomplete = false): Map<string, ServedRoute> {
  const served = [...files(contents).values()].flatMap(({ route, text, file }) => {
    if (route === null) return []
    const { id, name, revision } = route
    return [[id, { source: { file, id, name, revision, text }, file, incomplete }] as const]
  })
  return new Map(served)
}

/** A plan as text: `put id (file)`, `remove id (file)`, `refused file: message`. */
function planned(now: Readonly<Record<string, Json>>, before: Map<string, ServedRoute>): string[] {
  const { changes, refused } = planRoutes(files(now), before)
  return [
    ...changes.map(({ change, file }) =>
      'put' in change ? `put ${change.put.id} (${file})` : `remove ${change.remove} (${file})`,
    ),
    ...[...refused].map(([file, { pointer, message }]) => `refused ${file}: ${pointer}: ${message}`),
  ]
}

const one = { handler: 'one' }
const two = { handler: 'two' }
const rows: readonly [string, Readonly<Record<string, Json>>, Readonly<Record<string, Json>>, readonly string[]][] = [
  ['nothing of nothing', {}, {}, []],
  ['a new file is put', { a: one }, {}, ['put a (a.json)']],
  ['an unchanged file changes nothing', { a: one }, { a: one }, []],
  ['spaces and comments are no change', { a: '{ /* x */ "handler": "one" }' }, { a: one }, []],
  ['a changed file is put', { a: two }, { a: one }, ['put a (a.json)']],
  ['a removed file is removed', {}, { a: one }, ['remove a (a.json)']],
  ['an unreadable file leaves what it served', { a: '{' }, { a: one }, []],
  [
    'a new id puts the one and removes the other',
    { a: { ...one, _id: 'x' } },
    { a: one },
    ['put x (a.json)', 'remove a (a.json)'],
  ],
  ['a new name is a change', { a: { ...one, name: 'n' } }, { a: one }, ['put a (a.json)']],
  [
    'a renamed file is the same route again',
    { b: { ...one, _id: 'x' } },
    { a: { ...one, _id: 'x' } },
    ['remove x (a.json)', 'put x (b.json)'],
  ],
  [
    'of two newcomers the first by file name',
    { a: { ...one, _id: 'x' }, b: { ...two, _id: 'x' } },
    {},
    ['put x (a.json)', 'refused b.json: /_id: the id "x" is already taken by a.json'],
  ],
  [
    'who serves keeps its id',
    { a: { ...one, _id: 'b' }, b: two },
    { b: two },
    ['refused a.json: /_id: the id "b" is already taken by b.json'],
  ],
  [
    'who serves keeps its name',
    { a: { ...one, name: 'b' }, b: two },
    { b: two },
    ['refused a.json: /name: the name "b" is already taken by b.json'],
  ],
  [
    'an unreadable file keeps its id',
    { a: { ...one, _id: 'b' }, b: '{' },
    { b: two },
    ['refused a.json: /_id: the id "b" is already taken by b.json'],
  ],
  [
    'an id that was given up is free',
    { a: { ...one, _id: 'b' }, b: { ...two, _id: 'c' } },
    { b: two },
    ['put b (a.json)', 'put c (b.json)', 'remove b (b.json)'],
  ],
]
for (const [what, now, before, expected] of rows) {
  test(`route plan: ${what}`, () => {
    assert.deepEqual(planned(now, serving(before)), expected)
  })
}

test('route plan: a route that a unit could not build is deployed again', () => {
  assert.deepEqual(planned({ a: one }, serving({ a: one }, true)), ['put a (a.json)'])
})

test('route plan: ids and names of a checked file must not look like others, which served files may', () => {
  const refusals = (now: Readonly<Record<string, Json>>, before: Readonly<Record<string, Json>>, checked?: string) =>
    [...planRoutes(files(now), serving(before), (file) => checked === undefined || file === checked).refused].map(
      ([file, { pointer, message }]) => `${file} ${pointer} ${message}`,
    )
  const both = { Shop: one, a: one, shop: two }
  assert.deepEqual(refusals(both, {}), ['shop.json /_id the id "shop" differs from "Shop" of Shop.json by case only'])
  assert.deepEqual(refusals(both, { shop: two }), [
    'Shop.json /_id the id "Shop" differs from "shop" of shop.json by case only',
  ])
  assert.deepEqual(refusals({ ...both, shop: one }, both), [])
  assert.deepEqual(refusals(both, {}, 'a.json'), [])
  assert.deepEqual(refusals({ a: { ...one, name: '\u00e9' }, b: { ...one, name: 'e\u0301' } }, {}), [
    'b.json /name the name "e\u0301" differs from "\u00e9" of a.json by case or Unicode form only',
  ])
  assert.match(String(refusals({ a: { ...one, name: 'a\u202e' } }, {})), /^a\.json \/name the name has .+ U\+202E/)
})
