// Every literal of every snippet is awaited, so that all constructs are suspended and resumed at each position.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileUnchecked } from '../compile/program.ts'
import { Unit } from '../compile/unit.ts'
import { ClassInfo, classes, coreLibrary, extend, suspend, type Value } from '../index.ts'
import type { Expression } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parser.ts'
import { readExpected } from './expected.ts'
import { differences } from './known-differences.ts'
import { difference, outcomeOf } from './outcome.ts'
import { snippetsByTopic, sourceOf } from './snippets.ts'

const LaterClass = extend(new ClassInfo('test.Later', { parent: classes.ObjectClass }), {
  'static value(Object value): Object': (value: Value) => suspend(Promise.resolve(value)),
})
const library = coreLibrary().with([LaterClass])

/** The tree with each literal replaced by an awaited one. */
function delayed<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(delayed) as Part
  if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype) return part
  const node = part as unknown as Expression
  if (node.kind === 'literal' && node.value !== null) {
    const { position } = node
    const target: Expression = ['test', 'Later'].reduce<Expression | null>(
      (before, name) =>
        before === null
          ? { kind: 'variable', name, position }
          : { kind: 'property', target: before, name, namePosition: position, access: 'plain', position },
      null,
    ) as Expression
    return {
      kind: 'call',
      target,
      name: 'value',
      namePosition: position,
      args: [node],
      access: 'plain',
      position,
    } as Part
  }
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, delayed(value)])) as Part
}

for (const [topic, snippets] of snippetsByTopic()) {
  test(`snippets about ${topic} have the same results when every value is awaited`, async () => {
    const expected = readExpected(topic)
    const findings: string[] = []
    let refused = 0
    for (const snippet of snippets) {
      const outcome = expected.get(snippet)
      // The message of an assertion contains the source, which differs here.
      if (outcome === undefined || outcome.kind === 'refused' || /Assertion/.test(outcome.class)) continue
      if (differences.has(snippet)) continue
      const found = await outcomeOf(() =>
        compileUnchecked(new Unit(delayed(parseScript(sourceOf(snippet), 'Snippet.groovy')), library)),
      )
      const isRefused = found.text.includes('UnsupportedOperation') && !outcome.text.includes('UnsupportedOperation')
      if (/can not wait within/.test(found.text) || isRefused) refused += 1
      else {
        const differs = difference(outcome, found)
        if (differs !== null) findings.push(`${differs}\n${snippet}`)
      }
    }
    assert.deepEqual(findings, [])
    assert.ok(refused <= snippets.length / 8, `${refused} of ${snippets.length} snippets wait where they can not`)
  })
}
