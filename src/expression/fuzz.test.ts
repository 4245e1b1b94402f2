import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  compile,
  conditionFacts,
  EvaluationError,
  ExpressionSyntaxError,
  isExpression,
  lint,
  type Node,
  scopeOf,
} from './index.ts'

const scope = scopeOf({
  a: { b: { c: [1, 'two', null, { d: true }] }, s: 'text', n: 5 },
  s: 'some text',
  n: -2.5,
  list: ['x', 'y'],
  map: new Map<string, unknown>([['k', new Set(['v'])]]),
  bytes: new Uint8Array(3),
})

function attempt(text: string): void {
  let expression: ReturnType<typeof compile>
  try {
    expression = compile(text)
  } catch (error) {
    assert.ok(error instanceof ExpressionSyntaxError, String(error))
    assert.ok(error.offset >= 0 && error.offset <= text.length)
    return
  }
  conditionFacts(expression)
  lint(expression)
  assert.equal(expression.constant, !isExpression(text))
  try {
    const value = expression.evaluate(scope)
    assert.ok(value !== undefined && typeof value !== 'function' && typeof value !== 'symbol')
  } catch (error) {
    assert.ok(error instanceof EvaluationError, String(error))
  }
}

test('no text makes the compiler throw anything but a syntax error', () => {
  // fc.string({ unit: 'binary' }) is equivalent, but takes seconds to create a table of all characters.
  const anyText = fc.array(fc.nat(0x10ffff)).map((points) => String.fromCodePoint(...points))
  fc.assert(fc.property(anyText, attempt))
  const pieces = [
    '${',
    '#{',
    '}',
    '\\',
    "'",
    '"',
    '(',
    ')',
    '[',
    ']',
    '.',
    ',',
    '?',
    ':',
    ' ',
    '+',
    '-',
    '==',
    '&&',
    '!',
  ]
  const words = [
    'a',
    'b',
    'n',
    'list',
    'not',
    'empty',
    'div',
    'true',
    'null',
    '1',
    '2.5',
    "'x'",
    'find',
    'trim(',
    '.size()',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 30 }), (parts) =>
      attempt(`\${${parts.join('')}`),
    ),
    { numRuns: 3000 },
  )
})

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.record({
      type: fc.constant('literal' as const),
      value: fc.oneof(
        fc.string(),
        fc.nat(),
        fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
    }),
    fc.record({
      type: fc.constant('name' as const),
      name: fc.constantFrom('a', 's', 'n', 'list', 'map', 'bytes', 'absent'),
    }),
    fc.record({
      type: fc.constant('member' as const),
      target: tie('node'),
      key: fc.oneof(
        fc.record({
          type: fc.constant('literal' as const),
          value: fc.constantFrom<string | number>('b', 's', 'k', 'length', '__proto__', 0, 1),
        }),
        tie('node'),
      ),
    }),
    fc.record({
      type: fc.constant('method' as const),
      target: tie('node'),
      name: fc.constantFrom(
        'size',
        'length',
        'concat',
        'get',
        'contains',
        'toString',
        'split',
        'constructor',
        'substring',
      ),
      args: fc.array(tie('node'), { maxLength: 2 }),
      at: fc.constant(0),
    }),
    fc.record({
      type: fc.constant('call' as const),
      name: fc.constantFrom(
        'trim',
        'length',
        'toString',
        'toJson',
        'encodeBase64',
        'integer',
        'urlDecode',
        'lastElement',
      ),
      args: fc.tuple(tie('node')),
      at: fc.constant(0),
    }),
    fc.record({
      type: fc.constant('unary' as const),
      operator: fc.constantFrom('-' as const, '!' as const, 'empty' as const),
      operand: tie('node'),
    }),
    fc.record({
      type: fc.constant('binary' as const),
      operator: fc.constantFrom(...(['+', '-', '*', '/', '%', '<', '>', '<=', '>=', '==', '!=', '&&', '||'] as const)),
      left: tie('node'),
      right: tie('node'),
    }),
    fc.record({
      type: fc.constant('ternary' as const),
      test: tie('node'),
      whenTrue: tie('node'),
      whenFalse: tie('node'),
    }),
  ),
}))

function print(tree: Node): string {
  switch (tree.type) {
    case 'literal':
      return typeof tree.value === 'string' ? quote(tree.value) : String(tree.value)
    case 'name':
      return tree.name
    case 'member':
      return `(${print(tree.target)})[${print(tree.key)}]`
    case 'method':
      return `(${print(tree.target)}).${tree.name}(${tree.args.map(print).join(', ')})`
    case 'call':
      return `${tree.name}(${tree.args.map(print).join(', ')})`
    case 'unary':
      return `${tree.operator} (${print(tree.operand)})`
    case 'binary':
      return `(${print(tree.left)}) ${tree.operator} (${print(tree.right)})`
    case 'ternary':
      return `(${print(tree.test)}) ? (${print(tree.whenTrue)}) : (${print(tree.whenFalse)})`
  }
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const withoutOffsets = (tree: unknown): string =>
  JSON.stringify(tree, (key, value: unknown) => (key === 'at' ? undefined : value))

test('a printed tree is parsed back, and evaluates to a value or an evaluation error', () => {
  fc.assert(
    fc.property(node, (tree) => {
      const text = `\${${print(tree)}}`
      attempt(text)
      let segments: readonly unknown[]
      try {
        segments = compile(text).segments
      } catch {
        // A literal argument of split() need not be a valid regular expression.
        return
      }
      assert.equal(withoutOffsets(segments[0]), withoutOffsets(tree))
    }),
    { numRuns: 2000 },
  )
})
