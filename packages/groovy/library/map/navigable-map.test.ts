import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runGroovy } from '../../testing/run-groovy.ts'

const text = async (source: string): Promise<string> =>
  (await runGroovy(`TreeMap<Float, String> m = [:]\nm.put(1.0f, 'a'); m.put(0.5f, 'b'); m.put(0.8f, 'c')\n${source}`))
    .text

test('a sorted map is read from its end, and near a key', async () => {
  assert.equal(await text('m.descendingMap()'), '[1.0:a, 0.8:c, 0.5:b]')
  assert.equal(
    await text('m.descendingMap().with { put(0.9f, "d"); [firstKey(), it] }'),
    '[1.0, [1.0:a, 0.9:d, 0.8:c, 0.5:b]]',
  )
  assert.equal(await text('def keys = []; for (each in m.descendingMap()) keys << each.key; keys'), '[1.0, 0.8, 0.5]')
  assert.equal(await text('m.descendingKeySet()'), '[1.0, 0.8, 0.5]')
  const near = 'm.floorKey(0.8f), m.lowerKey(0.8f), m.ceilingKey(0.6f), m.higherKey(0.8f), m.lowerKey(0.5f)'
  assert.equal(
    await text(`[${near}, m.higherEntry(0.5f).value, m.floorEntry(0.1f)]`),
    '[0.8, 0.5, 0.8, 1.0, null, c, null]',
  )
  assert.equal(await text('[m.headMap(0.8f), m.tailMap(0.8f)]'), '[[0.5:b], [0.8:c, 1.0:a]]')
})

test('the first and the last entry are removed by poll', async () => {
  const polled = '[m.pollFirstEntry().value, m.pollLastEntry().key, m, m.pollFirstEntry().key, m.pollLastEntry()]'
  assert.equal(await text(`def all = ${polled}; all`), '[b, 1.0, [:], 0.8, null]')
})
