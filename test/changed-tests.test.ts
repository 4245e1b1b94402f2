import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testsOf } from '../scripts/changed-tests.ts'
import { ImportGraph } from '../scripts/import-graph.ts'

const graph = new ImportGraph()
const tests = graph.files.filter((file) => file.endsWith('.test.ts'))
const of = (...changed: string[]) => testsOf(changed, tests, graph)

test('a change of a type selects its own tests, and those of gateways with it, and few others', () => {
  const selected = of('src/objects/filters/set-cookie-update/set-cookie-update-filter.ts')
  assert.ok(selected.includes('src/objects/filters/set-cookie-update/set-cookie-update-filter.test.ts'))
  assert.ok(!selected.includes('src/objects/filters/header/header-filter.test.ts'))
  assert.ok(!selected.includes('src/jose/claims.test.ts'))
  assert.ok(selected.length < tests.length / 10, `${selected.length} of ${tests.length}`)
})

test('names of an index file lead to the file that declares them', () => {
  const selected = of('packages/json/pointer.ts')
  assert.ok(selected.includes('src/heap/heap.test.ts'))
  assert.ok(of('src/expression/duration.ts').includes('src/expression/duration.test.ts'))
  assert.ok(!of('src/expression/parser.ts').includes('src/expression/duration.test.ts'))
})

test('a changed test is selected, nothing for no change, and tests of documents for a changed document', () => {
  assert.ok(of('src/jose/claims.test.ts').includes('src/jose/claims.test.ts'))
  assert.deepEqual(of(), [])
  assert.ok(of('docs/guide/scripts.md').includes('test/docs.test.ts'))
})
