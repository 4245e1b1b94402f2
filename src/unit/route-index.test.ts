import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ConditionFacts, compile, conditionFacts, scopeOf } from '#expression'
import { RouteIndex } from './route-index.ts'

const path = fc
  .array(fc.constantFrom('/', '/a', '/b', '/ab', '/a/b', 'a', '%', 'ä'), { maxLength: 5 })
  .map((parts) => parts.join(''))

interface Item {
  readonly facts: ConditionFacts | null
  readonly matches: (path: string) => boolean
}

/** First match of a linear search, which the index must return too. */
function linear(items: readonly Item[], asked: string): Item | undefined {
  return items.find(({ matches }) => matches(asked))
}

function indexed(items: readonly Item[], asked: string): Item | undefined {
  const index = new RouteIndex(items)
  const positions = index.positions(asked)
  assert.deepEqual(
    positions,
    [...positions].sort((a, b) => a - b),
  )
  return positions.map((position) => index.at(position)).find(({ matches }) => matches(asked))
}

test('returns the match of a linear search for any combination of facts', () => {
  const item = fc
    .tuple(fc.constantFrom('nothing', 'equal', 'prefix', 'both', 'method'), path, fc.boolean())
    .map(([known, value, also]): Item => {
      if (known === 'equal' || known === 'both') {
        const facts = known === 'equal' ? { pathEquals: value } : { pathEquals: value, pathPrefix: value }
        return { facts, matches: (asked) => also && asked === value }
      }
      if (known === 'prefix')
        return { facts: { pathPrefix: value }, matches: (asked) => also && asked.startsWith(value) }
      if (known === 'method') return { facts: { method: 'GET' }, matches: () => also }
      return { facts: null, matches: (asked) => also && asked.includes(value) }
    })
  fc.assert(
    fc.property(fc.array(item, { maxLength: 30 }), path, (items, asked) => {
      assert.equal(indexed(items, asked), linear(items, asked))
    }),
    { numRuns: 300 },
  )
})

test('returns the match of a linear search for typical conditions', () => {
  const literal = fc.constantFrom('/', '/a', '/a/b', '/ab', '/b', '/ä')
  const clause = fc.oneof(
    literal.map((text) => `request.uri.path == '${text}'`),
    literal.map((text) => `find(request.uri.path, '^${text}')`),
    literal.map((text) => `find(request.uri.path, '${text}$')`),
    literal.map((text) => `find(request.uri.path, '^(${text}|/b)')`),
    literal.map((text) => `matches(request.uri.path, '^${text}/?$')`),
    literal.map((text) => `request.uri.path.startsWith('${text}')`),
    fc.constantFrom('true', 'false', "request.method == 'GET'", "request.method == 'PUT'"),
  )
  const condition = fc
    .tuple(clause, fc.constantFrom('&&', '||'), clause, fc.boolean())
    .map(([left, operator, right, not]) => `\${${not ? `!(${left})` : left} ${operator} ${right}}`)
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 12 }), path, (conditions, asked) => {
      const scope = scopeOf({ request: { method: 'GET', uri: { path: asked } } })
      const items = conditions.map((source): Item => {
        const expression = compile(source)
        return { facts: conditionFacts(expression), matches: () => expression.evaluate(scope) === true }
      })
      assert.equal(indexed(items, asked), linear(items, asked))
    }),
    { numRuns: 300 },
  )
})

test('ten thousand routes with distinct paths leave one candidate', () => {
  const items = Array.from({ length: 10_000 }, (_, at) => ({
    facts: { pathPrefix: `/app-${String(at).padStart(5, '0')}/` },
  }))
  const index = new RouteIndex([...items, { facts: null }])
  assert.deepEqual(index.positions('/app-04711/x'), [4711, 10_000])
  assert.deepEqual(index.positions('/other'), [10_000])
})
