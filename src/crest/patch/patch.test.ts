import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { applyPatch, type PatchOptions } from './apply.ts'
import { PatchError, parsePatch } from './operation.ts'

const options: PatchOptions = { isSet: (field) => field[0] === 'set' }
const patch = (resource: JsonObject, ...operations: JsonValue[]) =>
  applyPatch(resource, parsePatch(operations), options)
const op = (operation: string, field: string, rest: JsonObject = {}): JsonObject => ({ operation, field, ...rest })

const rows: readonly (readonly [string, JsonObject, JsonValue[], JsonObject])[] = [
  ['add creates a field', {}, [op('add', '/a', { value: 1 })], { a: 1 }],
  ['add creates parents as needed', {}, [op('add', 'a/b/c', { value: 1 })], { a: { b: { c: 1 } } }],
  ['add replaces a single value', { a: 1 }, [op('add', '/a', { value: 'x' })], { a: 'x' }],
  ['add replaces an object', { a: { x: 1 } }, [op('add', '/a', { value: { y: 2 } })], { a: { y: 2 } }],
  ['add appends a list to a list', { l: [1] }, [op('add', '/l', { value: [1, 2] })], { l: [1, 1, 2] }],
  ['add appends a value to a list', { l: [1] }, [op('add', '/l', { value: 2 })], { l: [1, 2] }],
  ['add puts a value at an index', { l: [1, 3] }, [op('add', '/l/1', { value: 2 })], { l: [1, 2, 3] }],
  ['add puts a value at the end with -', { l: [1] }, [op('add', '/l/-', { value: 2 })], { l: [1, 2] }],
  ['add makes a list where the end of a missing one is meant', {}, [op('add', '/l/-', { value: 1 })], { l: [1] }],
  ['add makes the list below parents too', { a: null }, [op('add', '/a/l/-', { value: 1 })], { a: { l: [1] } }],
  ['increment leaves no duplicates in a set', { set: [1, 2] }, [op('increment', '/set/0', { value: 1 })], { set: [2] }],
  ['add merges into a set', { set: [1, 2] }, [op('add', '/set', { value: [2, 3, 3] })], { set: [1, 2, 3] }],
  ['add makes a set without duplicates', {}, [op('add', '/set', { value: [{ a: 1 }, { a: 1 }] })], { set: [{ a: 1 }] }],
  ['add with an index into a set merges', { set: [1] }, [op('add', '/set/0', { value: 1 })], { set: [1] }],
  ['copy adds what is elsewhere', { a: 1 }, [op('copy', '/b/c', { from: '/a' })], { a: 1, b: { c: 1 } }],
  ['copy appends lists as add does', { a: [1], b: [0] }, [op('copy', '/b', { from: '/a' })], { a: [1], b: [0, 1] }],
  ['increment adds', { n: 1 }, [op('increment', '/n', { value: 2.5 })], { n: 3.5 }],
  ['increment takes negative numbers', { n: 1 }, [op('increment', '/n', { value: -3 })], { n: -2 }],
  ['increment changes each number of a list', { l: [1, 2] }, [op('increment', '/l', { value: 1 })], { l: [2, 3] }],
  ['increment changes one element', { l: [1, 2] }, [op('increment', '/l/0', { value: 1 })], { l: [2, 2] }],
  ['move takes a field away', { a: 1 }, [op('move', '/b/c', { from: '/a' })], { b: { c: 1 } }],
  ['move takes an element away', { l: [1, 2] }, [op('move', '/a', { from: '/l/0' })], { l: [2], a: 1 }],
  ['remove removes a field', { a: 1, b: 2 }, [op('remove', '/a')], { b: 2 }],
  ['remove leaves alone what is not there', { a: 1 }, [op('remove', '/b/c'), op('remove', '/a/b')], { a: 1 }],
  ['remove takes an element by its index', { l: [1, 2, 3] }, [op('remove', '/l/1')], { l: [1, 3] }],
  ['remove takes values out of a set', { set: [1, 2, 3] }, [op('remove', '/set', { value: [3, 1] })], { set: [2] }],
  ['remove takes equal values out of a list', { l: [1, 2, 1] }, [op('remove', '/l', { value: 1 })], { l: [2] }],
  [
    'remove compares objects by content',
    { l: [{ a: 1, b: 2 }] },
    [op('remove', '/l', { value: { b: 2, a: 1 } })],
    { l: [] },
  ],
  ['remove with another value keeps the field', { a: 1 }, [op('remove', '/a', { value: 2 })], { a: 1 }],
  ['remove with its value removes the field', { a: 1 }, [op('remove', '/a', { value: 1 })], {}],
  [
    'replace puts other values',
    { a: 1, l: [1, 2] },
    [op('replace', '/a', { value: 2 }), op('replace', '/l', { value: [3] })],
    { a: 2, l: [3] },
  ],
  ['replace creates what is missing', {}, [op('replace', '/a/b', { value: 1 })], { a: { b: 1 } }],
  [
    'replace with null removes',
    { a: 1 },
    [op('replace', '/a', { value: null }), op('replace', '/x/y', { value: null })],
    {},
  ],
  ['replace makes sets of lists', { set: [1] }, [op('replace', '/set', { value: [2, 2] })], { set: [2] }],
  [
    'operations are done in order',
    { n: 1 },
    [op('increment', '/n', { value: 1 }), op('copy', '/m', { from: 'n' }), op('remove', '/n')],
    { m: 2 },
  ],
  ['names of operations have no case', { n: 1 }, [op('INCREMENT', '/n', { value: 1 })], { n: 2 }],
  [
    'escapes of pointers',
    { 'a/b': 1, 'c~d': 2, 'e%f': 3 },
    [op('remove', '/a~1b'), op('remove', '/c~0d'), op('remove', '/e%f')],
    {},
  ],
  ['no operation', { a: 1 }, [], { a: 1 }],
]

describe('patch', () => {
  for (const [name, before, operations, after] of rows) {
    test(name, async () => assert.deepEqual(await patch(before, ...operations), after))
  }

  const refused: readonly (readonly [JsonObject, JsonValue, number, RegExp])[] = [
    [{}, op('test', '/a'), 400, /\/0\/operation: expected one of add, copy/],
    [{}, { field: '/a' }, 400, /expected one of/],
    [{}, { operation: 'remove' }, 400, /\/0\/field: expected a JSON pointer/],
    [{}, op('remove', '/a~2'), 400, /JSON pointer/],
    [{}, op('add', '/a'), 400, /add needs a value/],
    [{}, op('replace', '/a'), 400, /replace needs a value/],
    [{}, op('transform', '/a'), 400, /transform needs a value/],
    [{}, op('increment', '/a', { value: '1' }), 400, /needs a number/],
    [{}, op('copy', '/a'), 400, /\/0\/from/],
    [{}, op('copy', '/a', { from: '/b', value: 1 }), 400, /takes from, not value/],
    [{}, op('add', '/a', { from: '/b', value: 1 }), 400, /only copy and move/],
    [{}, op('add', '/_id', { value: 'x' }), 400, /\/0\/field: _id can not be patched/],
    [{}, op('remove', '_rev'), 400, /_rev can not be patched/],
    [{}, op('copy', '/_rev/x', { from: '/first' }), 400, /_rev can not be patched/],
    [{}, op('add', '/l/-/x', { value: 1 }), 409, /no element -/],
    [{}, op('add', '/l/-', { value: [1, 2] }), 400, /one element at a time/],
    [{}, op('add', '/a', { value: 1, path: 'x' }), 400, /unknown member "path"/],
    [{}, 'add', 400, /expected an object/],
    [{}, op('increment', '/a', { value: 1 }), 400, /nothing to increment/],
    [{ a: 'x' }, op('increment', '/a', { value: 1 }), 400, /only numbers/],
    [{ a: [1, 'x'] }, op('increment', '/a', { value: 1 }), 400, /only numbers/],
    [{ a: 1.7e308 }, op('increment', '/a', { value: 1.7e308 }), 400, /too large/],
    [{ a: 1 }, op('add', '/a/b', { value: 1 }), 409, /\/a: expected an object or a list/],
    [{ l: [] }, op('add', '/l/1', { value: 1 }), 409, /index from 0 to 0/],
    [{ l: [] }, op('add', '/l/x', { value: 1 }), 409, /index from 0 to 0/],
    [{ l: [] }, op('add', '/l/0/x', { value: 1 }), 409, /no element 0/],
    [{ l: [] }, op('add', '/l/-', { value: [1, 2] }), 400, /one element at a time/],
    [{ l: [1] }, op('replace', '/l/0', { value: 2 }), 400, /can not be replaced by its index/],
    [{}, op('copy', '/a', { from: '/b' }), 409, /nothing to take/],
    [{}, op('move', '/a', { from: '/b' }), 409, /nothing to take/],
    [{ a: {} }, op('move', '/a/b', { from: '/a' }), 400, /into itself/],
    [{}, op('remove', '/'), 400, /whole resource/],
    [{}, op('replace', '', { value: 1 }), 400, /only become an object/],
    [{}, op('transform', '/a', { value: {} }), 501, /not supported/],
  ]
  for (const [before, operation, status, message] of refused) {
    test(`${JSON.stringify(operation)} on ${JSON.stringify(before)} is ${status}`, async () => {
      const failing = (async () => patch(before, op('add', '/first', { value: 1 }), operation))()
      await assert.rejects(failing, (error) => {
        assert.ok(error instanceof PatchError)
        assert.match(error.message.replace('/1', '/0'), message)
        return error.status === status
      })
      assert.equal('first' in before, false, 'nothing has changed')
    })
  }

  test('a patch that is no list of at most 1,000 operations is rejected', () => {
    for (const body of [{}, 'x', null, 1, Array(1001).fill(op('remove', '/a'))] as JsonValue[]) {
      assert.throws(() => parsePatch(body), PatchError)
    }
  })

  test('transform passes the value, the instruction and the resource to the configured function', async () => {
    const before: JsonObject = { a: 'x', b: 1 }
    const after = await applyPatch(before, parsePatch([op('transform', '/a', { value: { script: 1 } })]), {
      transform: async (value, instruction, resource) => ({ value, instruction, resource }),
    })
    assert.deepEqual(after, { a: { value: 'x', instruction: { script: 1 }, resource: before }, b: 1 })
  })

  test('B76: __proto__ and other names of Object.prototype are ordinary or missing members', async () => {
    const after = await patch(
      {},
      op('add', '/__proto__/x', { value: 1 }),
      op('add', '/constructor/prototype/y', { value: 1 }),
    )
    assert.deepEqual(Object.keys(after), ['__proto__', 'constructor'])
    assert.equal(Object.getPrototypeOf(after), Object.prototype)
    assert.equal(({} as Record<string, unknown>)['x'], undefined)
    assert.equal(({} as Record<string, unknown>)['y'], undefined)
    await assert.rejects(patch({}, op('copy', '/a', { from: '/toString' })), PatchError)
  })

  describe('B79: a patch of too much work is rejected, and does not block the event loop', () => {
    const numbers = Array.from({ length: 8_000 }, (_, n) => n)
    const rows: readonly (readonly [string, JsonObject, JsonValue, number])[] = [
      ['a list copied into itself again and again', { l: [1] }, op('copy', '/l', { from: '/l' }), 400],
      ['an object copied into itself again and again', { a: {} }, op('copy', '/a/a', { from: '/a' }), 400],
      ['elements sought in a long list', { l: numbers }, op('remove', '/l', { value: -1 }), 400],
      ['a long list incremented', { l: numbers }, op('increment', '/l', { value: 1 }), 400],
      ['a long text compared', { t: 'x'.repeat(500_000) }, op('remove', '/t', { value: 'y' }), 400],
      ['a long text copied', { t: 'x'.repeat(500_000) }, op('copy', '/u', { from: '/t' }), 400],
    ]
    for (const [label, before, step, status] of rows) {
      test(label, async () => {
        const operations = parsePatch(Array(1000).fill(step) as JsonValue[])
        await assert.rejects(applyPatch(before, operations), (error) => (error as PatchError).status === status)
      })
    }

    test('long paths with missing parents', async () => {
      const ways = Array.from({ length: 1000 }, (_, n) => op('add', `/${n}${'/a'.repeat(250)}`, { value: 1 }))
      await assert.rejects(patch({}, ...ways), /too much/)
    })

    test('a resource does not grow beyond the limit of a body, and a larger one can shrink', async () => {
      const values = numbers.slice(0, 6_000)
      const half = { a: values }
      await assert.rejects(
        patch(half, op('copy', '/b', { from: '/a' })),
        (error) => error instanceof PatchError && error.status === 413 && /10000 values/.test(error.message),
      )
      await assert.rejects(patch({ t: 'x'.repeat(600_000) }, op('copy', '/u', { from: '/t' })), /1048576 characters/)
      const large = { a: values, b: values, c: 1 }
      assert.deepEqual(await patch(large, op('remove', '/c')), { a: values, b: values })
      await assert.rejects(patch(large, op('add', '/d', { value: 2 })), /10000 values/)
    })

    test('1,000 elements are added one by one', async () => {
      const after = await patch({ l: numbers }, ...Array(1000).fill(op('add', '/l/0', { value: 1 })))
      assert.equal((after['l'] as JsonValue[]).length, 9_000)
    })

    test('yields to the event loop between operations', async () => {
      let turns = 0
      const count = setInterval(() => turns++, 1)
      const slow = Array(30).fill(op('transform', '/a', { value: 1 })) as JsonValue[]
      const busy = async () => {
        for (const until = performance.now() + 11; performance.now() < until; );
        return 1
      }
      await applyPatch({ a: 1 }, parsePatch(slow), { transform: busy })
      clearInterval(count)
      assert.ok(turns >= 20, `${turns} turns`)
    })
  })

  const field = fc.constantFrom('/a', '/b', '/c', '/d')
  const step = fc.oneof(
    fc.record({ operation: fc.constantFrom('add', 'replace'), field, value: fc.oneof(fc.integer(), fc.string()) }),
    fc.record({ operation: fc.constant('increment'), field, value: fc.integer() }),
    fc.record({ operation: fc.constant('remove'), field }),
    fc.record({ operation: fc.constantFrom('copy', 'move'), field, from: field }),
  )
  test('sequences on single values act as on a plain map, atomically', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const before: JsonObject = { a: 1, b: 'x' }
        const expected = model(before, steps)
        const operations = parsePatch(JSON.parse(JSON.stringify(steps)) as JsonValue)
        const done = await applyPatch(before, operations).catch((error: unknown) => {
          assert.ok(error instanceof PatchError)
          return null
        })
        assert.deepEqual(done, expected)
        assert.deepEqual(before, { a: 1, b: 'x' })
      }),
    )
  })

  const corpus = join(import.meta.dirname, '../../../../shared/corpora/json/json-patch-tests')
  test('the converted patches of the json-patch corpus are applied or rejected, and do not change the input', {
    skip: !existsSync(corpus) && 'no corpora beside the checkout',
  }, async () => {
    let done = 0
    for (const file of ['tests.json', 'spec_tests.json']) {
      const cases = JSON.parse(readFileSync(join(corpus, file), 'utf8')) as { doc: JsonValue; patch: JsonObject[] }[]
      for (const { doc, patch: steps } of cases) {
        if (!isPlainObject(doc) || !Array.isArray(steps)) continue
        const before = JSON.stringify(doc)
        const words = steps.map(
          ({ op: operation, path, ...rest }) => ({ operation, field: path, ...rest }) as JsonObject,
        )
        try {
          await patch(doc as JsonObject, ...words)
          done++
        } catch (error) {
          assert.ok(error instanceof PatchError, String(error))
        }
        assert.equal(JSON.stringify(doc), before)
      }
    }
    assert.ok(done > 20)
  })
})

interface Step {
  readonly operation: string
  readonly field: string
  readonly value?: string | number
  readonly from?: string
}

/** Reference implementation: a resource of single values after the steps; null where one fails. */
function model(resource: JsonObject, steps: readonly Step[]): JsonObject | null {
  const map = new Map(Object.entries(resource))
  for (const { operation, field, value, from } of steps) {
    const name = field.slice(1)
    const source = map.get((from ?? '').slice(1))
    if (operation === 'add' || operation === 'replace') map.set(name, value as JsonValue)
    else if (operation === 'remove') map.delete(name)
    else if (operation === 'increment') {
      const number = map.get(name)
      if (typeof number !== 'number') return null
      map.set(name, number + (value as number))
    } else {
      if (source === undefined) return null
      if (operation === 'move') map.delete((from ?? '').slice(1))
      map.set(name, source)
    }
  }
  return Object.fromEntries(map)
}
