// Edits of the Studio's canvas, validated by a gateway.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { RunningGateway } from '#test/gateway'
import { managing, ROUTES } from '#test/management'
import { inserted, removed, valueAt } from './canvas-edits.ts'
import { allNodes, canvasModel } from './canvas-model.ts'
import { movedBeside, movedByStep } from './canvas-move.ts'
import { problemsByNode } from './canvas-problems.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Routes of the demo and of the examples of the guides. */
const ROUTE_TEXTS = [
  ...globSync('dev/**/routes/*.json', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8')),
  ...globSync('docs/guide/*.md', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text as string),
  ),
].filter((text) => isRoute(text))

function isRoute(text: string): boolean {
  try {
    return typeof valueAt(text, ['handler']) !== 'undefined'
  } catch {
    return false
  }
}

/** One edit: which, of which object, and beside which. */
const edits = fc.array(
  fc.record({
    edit: fc.constantFrom('insert', 'remove', 'step', 'beside'),
    type: fc.constantFrom('HeaderFilter', 'ThrottlingFilter', 'Chain', 'StaticResponseHandler', 'JwkSetSecretStore'),
    node: fc.nat(50),
    other: fc.nat(50),
  }),
  { minLength: 1, maxLength: 4 },
)

const KINDS: Readonly<Record<string, string>> = {
  HeaderFilter: 'Filter',
  ThrottlingFilter: 'Filter',
  Chain: 'Handler',
  StaticResponseHandler: 'Handler',
}

type Edit = typeof edits extends fc.Arbitrary<(infer T)[]> ? T : never

function edited(text: string, { edit, type, node, other }: Edit): string {
  const nodes = allNodes(canvasModel(text)).filter(({ role }) => role !== 'entry' && role !== 'inherited')
  const [chosen, target] = [node, other].map((at) => nodes[at % nodes.length])
  if (chosen === undefined || target === undefined) return text
  if (edit === 'insert') return inserted(text, KINDS[type] ?? null, { type, config: {} }, chosen.path)
  if (edit === 'remove') return removed(text, chosen.path)
  if (edit === 'step') return movedByStep(text, chosen.path, 1)?.text ?? text
  return movedBeside(text, [chosen.path], { path: target.path, side: 'after' })?.text ?? text
}

test('each edit of the canvas gives a route that validates, or problems that are shown on an object', async () => {
  assert.ok(ROUTE_TEXTS.length > 20, `${ROUTE_TEXTS.length} routes`)
  await using gateway = await RunningGateway.start({ env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' } })
  const ask = managing(gateway.adminUrl)
  const outcomes = { valid: 0, problems: 0 }
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ROUTE_TEXTS), edits, async (route, script) => {
      const text = script.reduce(edited, route)
      const { status, json } = await ask('POST', `${ROUTES}?_action=validate`, {
        body: { _id: 'edited', _source: text },
      })
      assert.equal(status, 200, text)
      const problems = json['problems'] as { pointer: string; message: string }[]
      outcomes[problems.length === 0 ? 'valid' : 'problems']++
      const model = canvasModel(text)
      const ids = allNodes(model).map(({ id }) => id)
      for (const problem of problems) {
        assert.ok(problem.message !== '')
        const [id = ''] = problemsByNode([problem], ids, model.flow[0]?.id ?? '').keys()
        assert.ok(ids.includes(id), `${problem.pointer}: ${problem.message}`)
      }
    }),
    { numRuns: 60 },
  )
  assert.ok(outcomes.valid > 0 && outcomes.problems > 0, JSON.stringify(outcomes))
})
