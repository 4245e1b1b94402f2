// The specification's "Patch operation payload" and its patch rules, row by row, over Common REST: on single values, on
// lists and on sets.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commonRest, PatchError } from '#crest'
import type { JsonObject, JsonValue } from '#json'
import { client, description } from '#test/crest-collection'
import { memoryCollection } from '#test/memory-collection'

const BEFORE: JsonObject = {
  text: 'a',
  n: 1,
  yes: true,
  object: { a: 1 },
  list: ['a', 'b', 'a'],
  set: ['x', 'y'],
  nums: [1, 2],
}

/** Result of a patch: the status and the changed fields. */
async function patched(operations: JsonValue): Promise<{ status: number; changed: JsonObject }> {
  const collection = memoryCollection(description, {
    isSet: ([name]) => name === 'set',
    transform: async (value, instruction, resource) => {
      const { script } = instruction as { script?: { type: string; file: string } }
      if (script?.file !== 'shout.js') throw new PatchError('there is no such script')
      return `${String(value).toUpperCase()} of ${Object.keys(resource).length}`
    },
  })
  const send = client(commonRest(collection, { base: '/things' }))
  await send('PUT', '/things/a', { body: BEFORE })
  const { status, json } = await send('PATCH', '/things/a', { body: operations })
  const now = (await send('GET', '/things/a')).json
  if (status === 200) assert.deepEqual(json, now, 'the answer is the patched resource')
  const names = new Set([...Object.keys(BEFORE), ...Object.keys(now)].filter((name) => !/^_(id|rev)$/.test(name)))
  const changed: JsonObject = {}
  for (const name of names) {
    if (JSON.stringify(now[name]) !== JSON.stringify(BEFORE[name])) changed[name] = now[name] ?? null
  }
  return { status, changed }
}

/** One operation as JSON text with the fields it changes (null for a removed field), or with the status of its rejection. */
type Row = readonly [string, JsonObject | number]

const script = (file: string) => ({ script: { type: 'application/javascript', file } })
const value = (json: JsonValue) => `"value":${JSON.stringify(json)}`

const rows: Readonly<Record<string, readonly Row[]>> = {
  'operation: one of add, copy, increment, move, remove, replace, transform': [
    ['"operation":"add","field":"/n","value":2', { n: 2 }],
    ['"operation":"copy","field":"/m","from":"/n"', { m: 1 }],
    ['"operation":"increment","field":"/n","value":2', { n: 3 }],
    ['"operation":"move","field":"/m","from":"/n"', { n: null, m: 1 }],
    ['"operation":"remove","field":"/n"', { n: null }],
    ['"operation":"replace","field":"/n","value":2', { n: 2 }],
    [`"operation":"transform","field":"/text",${value(script('shout.js'))}`, { text: 'A of 7' }],
    ['"operation":"test","field":"/n","value":1', 400],
    ['"operation":"","field":"/n","value":1', 400],
    ['"operation":5,"field":"/n","value":1', 400],
    ['"field":"/n","value":1', 400],
  ],
  'field: JSON pointer': [
    ['"operation":"replace","field":"object/a","value":2', { object: { a: 2 } }],
    ['"operation":"replace","field":"/object/a","value":2', { object: { a: 2 } }],
    ['"operation":"add","field":"/a~1b","value":2', { 'a/b': 2 }],
    ['"operation":"add","field":"/a~0b","value":2', { 'a~b': 2 }],
    ['"operation":"add","field":"/a~b","value":2', 400],
    ['"operation":"add","field":5,"value":2', 400],
    ['"operation":"add","value":2', 400],
    ['"operation":"add","field":"/_id","value":"b"', 400],
    ['"operation":"remove","field":"/_rev"', 400],
  ],
  'value: any; for increment a single number': [
    ['"operation":"add","field":"/text","value":{"b":[null]}', { text: { b: [null] } }],
    ['"operation":"increment","field":"/n","value":-0.5', { n: 0.5 }],
    ['"operation":"increment","field":"/n","value":[1]', 400],
    ['"operation":"increment","field":"/n","value":"1"', 400],
    ['"operation":"increment","field":"/n"', 400],
    ['"operation":"add","field":"/n"', 400],
    ['"operation":"replace","field":"/n"', 400],
    ['"operation":"copy","field":"/m","from":"/n","value":1', 400],
  ],
  'value: for transform an object with script (type, file)': [
    [`"operation":"transform","field":"/text",${value(script('other.js'))}`, 400],
    ['"operation":"transform","field":"/text"', 400],
  ],
  'from: JSON pointer, used with copy and move': [
    ['"operation":"copy","field":"/m","from":"object/a"', { m: 1 }],
    ['"operation":"copy","field":"/m"', 400],
    ['"operation":"move","field":"/m"', 400],
    ['"operation":"move","field":"/m","from":"~"', 400],
    ['"operation":"add","field":"/m","value":1,"from":"/n"', 400],
    ['"operation":"remove","field":"/n","from":"/n"', 400],
  ],
  'rule 2: targets are single values, lists and sets': [
    ['"operation":"add","field":"/object","value":{"b":1}', { object: { b: 1 } }],
    ['"operation":"add","field":"/yes","value":false', { yes: false }],
    ['"operation":"add","field":"/list","value":["a"]', { list: ['a', 'b', 'a', 'a'] }],
    ['"operation":"add","field":"/set","value":["x","z"]', { set: ['x', 'y', 'z'] }],
  ],
  'rule 3: add ensures that the target holds the value': [
    ['"operation":"add","field":"/text","value":"b"', { text: 'b' }],
    ['"operation":"add","field":"/new/parents/too","value":1', { new: { parents: { too: 1 } } }],
    ['"operation":"add","field":"/list","value":["c","d"]', { list: ['a', 'b', 'a', 'c', 'd'] }],
    ['"operation":"add","field":"/list","value":"c"', { list: ['a', 'b', 'a', 'c'] }],
    ['"operation":"add","field":"/list/1","value":"c"', { list: ['a', 'c', 'b', 'a'] }],
    ['"operation":"add","field":"/list/3","value":"c"', { list: ['a', 'b', 'a', 'c'] }],
    ['"operation":"add","field":"/list/-","value":"c"', { list: ['a', 'b', 'a', 'c'] }],
    ['"operation":"add","field":"/newList/-","value":"c"', { newList: ['c'] }],
    ['"operation":"add","field":"/list/-","value":["c","d"]', 400],
    ['"operation":"add","field":"/list/4","value":"c"', 409],
    ['"operation":"add","field":"/list/-1","value":"c"', 409],
    ['"operation":"add","field":"/list/01","value":"c"', 409],
    ['"operation":"add","field":"/text/below","value":"c"', 409],
    ['"operation":"add","field":"/set","value":"x"', {}],
    ['"operation":"add","field":"/set/-","value":"x"', {}],
    ['"operation":"add","field":"/set/0","value":"z"', { set: ['x', 'y', 'z'] }],
  ],
  'rule 4: copy takes values from the source and adds them, like add': [
    ['"operation":"copy","from":"/n","field":"/text"', { text: 1 }],
    ['"operation":"copy","from":"/nums","field":"/list"', { list: ['a', 'b', 'a', 1, 2] }],
    ['"operation":"copy","from":"/list/1","field":"/nums/0"', { nums: ['b', 1, 2] }],
    ['"operation":"copy","from":"/list","field":"/set"', { set: ['x', 'y', 'a', 'b'] }],
    ['"operation":"copy","from":"/missing","field":"/text"', 409],
  ],
  'rule 5: increment changes the numeric target by the number': [
    ['"operation":"increment","field":"/n","value":41', { n: 42 }],
    ['"operation":"increment","field":"/nums","value":10', { nums: [11, 12] }],
    ['"operation":"increment","field":"/nums/1","value":-2', { nums: [1, 0] }],
    ['"operation":"increment","field":"/text","value":1', 400],
    ['"operation":"increment","field":"/missing","value":1', 400],
  ],
  'rule 6: move removes values from the source and adds them': [
    ['"operation":"move","from":"/n","field":"/made/here"', { n: null, made: { here: 1 } }],
    ['"operation":"move","from":"/list/1","field":"/list/-"', { list: ['a', 'a', 'b'] }],
    ['"operation":"move","from":"/nums","field":"/list"', { nums: null, list: ['a', 'b', 'a', 1, 2] }],
    ['"operation":"move","from":"/nums/0","field":"/set"', { nums: [2], set: ['x', 'y', 1] }],
    ['"operation":"move","from":"/missing","field":"/n"', 409],
    ['"operation":"move","from":"/object","field":"/object/a"', 400],
  ],
  'rule 7: remove': [
    ['"operation":"remove","field":"/object"', { object: null }],
    ['"operation":"remove","field":"/list/0"', { list: ['b', 'a'] }],
    ['"operation":"remove","field":"/list/9"', {}],
    ['"operation":"remove","field":"/missing/below"', {}],
    ['"operation":"remove","field":"/set","value":"x"', { set: ['y'] }],
    ['"operation":"remove","field":"/set","value":["y","x","z"]', { set: [] }],
    ['"operation":"remove","field":"/list","value":"a"', { list: ['b'] }],
    ['"operation":"remove","field":"/text","value":"other"', {}],
    ['"operation":"remove","field":""', 400],
  ],
  'rule 8: replace removes existing values and adds the given ones': [
    ['"operation":"replace","field":"/list","value":["z"]', { list: ['z'] }],
    ['"operation":"replace","field":"/list","value":"z"', { list: 'z' }],
    ['"operation":"replace","field":"/set","value":["z","z"]', { set: ['z'] }],
    ['"operation":"replace","field":"/new/field","value":1', { new: { field: 1 } }],
    ['"operation":"replace","field":"/n","value":null', { n: null }],
    ['"operation":"replace","field":"/list/0","value":"z"', 400],
    ['"operation":"replace","field":"/list/-","value":"z"', 400],
    ['"operation":"replace","field":"/set/0","value":"z"', 400],
  ],
  'rule 9: transform changes the value of a field': [
    [`"operation":"transform","field":"/object/a",${value(script('shout.js'))}`, { object: { a: '1 of 7' } }],
    [`"operation":"transform","field":"/list/1",${value(script('shout.js'))}`, { list: ['a', 'B of 7', 'a'] }],
    [`"operation":"transform","field":"",${value(script('shout.js'))}`, 400],
  ],
}

for (const [rule, cases] of Object.entries(rows)) {
  describe(rule, () => {
    for (const [operation, expected] of cases) {
      const outcome = typeof expected === 'number' ? `is ${expected}, and nothing changes` : JSON.stringify(expected)
      test(`{${operation}}: ${outcome}`, async () => {
        const { status, changed } = await patched([JSON.parse(`{${operation}}`) as JsonObject])
        if (typeof expected === 'number') assert.deepEqual([status, changed], [expected, {}])
        else assert.deepEqual([status, changed], [200, expected])
      })
    }
  })
}

test('rule 1: operations are applied in order and atomically', async () => {
  const first = { operation: 'increment', field: '/n', value: 1 }
  const second = { operation: 'copy', from: '/n', field: '/m' }
  assert.deepEqual((await patched([first, second, first])).changed, { n: 3, m: 2 })
  assert.deepEqual(await patched([first, second, { operation: 'copy', from: '/x', field: '/m' }]), {
    status: 409,
    changed: {},
  })
})

for (const body of [{}, 'x', 5, [null], [[]], ['add'], [{ operation: 'remove', field: '/n', path: '/n' }]] as const) {
  test(`a body that is ${JSON.stringify(body)} is 400: a JSON array of objects with these members`, async () => {
    assert.deepEqual(await patched(body as unknown as JsonValue), { status: 400, changed: {} })
  })
}
