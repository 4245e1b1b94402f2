// Edits of the canvas as edits of the text: all that an edit does not concern stays byte for byte.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkPicture, isRoute } from '../test/check-picture.ts'
import { inserted, removed, valueAt } from './canvas-edits.ts'
import { allNodes, canvasModel } from './canvas-model.ts'
import { movedByStep } from './canvas-move.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Routes of the demo, and JSON examples of the guides and reference pages that are routes. */
const EXAMPLES = globSync(['dev/**/routes/*.json', 'docs/**/*.md', 'src/objects/**/*.md'], { cwd: root })
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    if (file.endsWith('.json')) return [text]
    return [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, example]) => example as string)
  })
  .filter(isRoute)

const filter = fc.record({
  type: fc.constantFrom('HeaderFilter', 'ScriptableFilter', 'A type of tomorrow'),
  config: fc.object(),
})
const handler = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('ReverseProxyHandler', { type: 'StaticResponseHandler', config: { status: 200 } }),
    fc.record({
      type: fc.constant('Chain'),
      config: fc.record({ filters: fc.array(fc.oneof(filter, fc.string()), { maxLength: 4 }), handler: tie('any') }),
    }),
    fc.record({
      type: fc.constant('DispatchHandler'),
      config: fc.record({
        bindings: fc.array(fc.record({ condition: fc.string(), handler: tie('any') }), { maxLength: 3 }),
      }),
    }),
  ),
})).any
/** Routes with a comment and an indentation that no formatter would choose. */
const route = fc
  .record({
    condition: fc.string(),
    handler,
    heap: fc.array(fc.record({ name: fc.string(), type: fc.string(), config: fc.object() }), { maxLength: 3 }),
  })
  .map((value) => `// kept\n${JSON.stringify(value, null, 3)}\n`)

/** A value without the null prototypes of the parser. */
function plainValue(text: string, path: (string | number)[] = []): unknown {
  return JSON.parse(JSON.stringify(valueAt(text, path)))
}

test('every route of the demo and of the documentation has a picture of all its objects, and its text stays as it is', () => {
  assert.ok(EXAMPLES.length > 20, `${EXAMPLES.length} routes`)
  for (const text of EXAMPLES) checkPicture(text)
})

test('a generated route has a picture of all its objects', () => {
  fc.assert(fc.property(route, checkPicture), { numRuns: 200 })
})

test('an element that is moved there and back leaves the text as it was, comments included', () => {
  fc.assert(
    fc.property(route, fc.nat(), (text, choice) => {
      const elements = allNodes(canvasModel(text)).filter(({ path }) => typeof path.at(-1) === 'number')
      const node = elements[choice % Math.max(1, elements.length)]
      if (node === undefined) return
      const later = movedByStep(text, node.path, 1)
      if (later === null) return
      assert.deepEqual(plainValue(later.text, later.paths[0]), plainValue(text, node.path))
      assert.equal(movedByStep(later.text, later.paths[0] ?? [], -1)?.text, text)
    }),
    { numRuns: 200 },
  )
})

test('a filter that is added and removed leaves the route as it was', () => {
  fc.assert(
    fc.property(route, fc.nat(), (text, choice) => {
      const filters = allNodes(canvasModel(text)).filter(({ path }) => path.at(-2) === 'filters')
      const selected = filters[choice % Math.max(1, filters.length)]?.path
      if (selected === undefined) return
      const added = inserted(text, 'Filter', { type: 'Added', config: {} }, selected)
      const at = [...selected.slice(0, -1), Number(selected.at(-1)) + 1]
      assert.deepEqual(plainValue(added, at), { type: 'Added', config: {} })
      assert.deepEqual(plainValue(removed(added, at)), plainValue(text))
    }),
    { numRuns: 200 },
  )
})

test('the first filter of a route without a Chain makes one around its handler', () => {
  const text = '{\n  // the application\n  "handler": "ReverseProxyHandler"\n}\n'
  const added = inserted(text, 'Filter', { type: 'Added' }, null)
  assert.deepEqual(plainValue(added, ['handler']), {
    type: 'Chain',
    config: { filters: [{ type: 'Added' }], handler: 'ReverseProxyHandler' },
  })
  assert.match(added, /\/\/ the application/)
})

test('a filter before a handler without a Chain leaves the text of the handler as it is', () => {
  const handler = `{
    // Two upstreams.
    "type": "StaticResponseHandler", "config": { "status": 200, "delay": 1.50, "entity": "e" }
  }`
  const text = `{\n  "handler": ${handler}\n}\n`
  const edited = inserted(text, 'Filter', 'Marked', null)
  assert.deepEqual(valueAt(edited, ['handler', 'config', 'filters']), ['Marked'])
  const lines = handler.split('\n').map((line) => line.trim())
  assert.ok(edited.replaceAll(/^ +/gm, '').includes(lines.join('\n')), edited)
  assert.match(inserted('{}', 'Filter', 'Marked', null), /"handler": "ReverseProxyHandler"/)
})
