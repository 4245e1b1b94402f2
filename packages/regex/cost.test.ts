import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { RegexNode } from './ast.ts'
import { backtrackingCost } from './cost.ts'
import { parseRegex } from './parser.ts'
import { longestWithin, valueAt } from './polynomial.ts'

/** Searches by plain backtracking, as V8 does, and counts the characters that it reads. */
class Counter {
  readonly #subject: string
  readonly #limit: number
  count = 0

  constructor(subject: string, limit: number) {
    this.#subject = subject
    this.#limit = limit
  }

  search(root: RegexNode, extent: 'part' | 'whole'): void {
    const { length } = this.#subject
    for (let start = 0; start <= (extent === 'whole' ? 0 : length); start += 1) {
      if (this.#match(root, start, 1, (end) => extent === 'part' || end === length)) return
    }
  }

  #match(node: RegexNode, at: number, step: 1 | -1, next: (at: number) => boolean): boolean {
    switch (node.type) {
      case 'set': {
        this.count += 1
        assert.ok(this.count <= this.#limit, `more than ${this.#limit} steps`)
        const unit = this.#subject.charCodeAt(step === 1 ? at : at - 1)
        return (
          node.set.some((from, index) => index % 2 === 0 && unit >= from && unit <= node.set[index + 1]!) &&
          next(at + step)
        )
      }
      case 'sequence': {
        const items = step === 1 ? node.items : node.items.toReversed()
        const from = (index: number, position: number): boolean =>
          index === items.length
            ? next(position)
            : this.#match(items[index]!, position, step, (end) => from(index + 1, end))
        return from(0, at)
      }
      case 'choice':
        return node.options.some((option) => this.#match(option, at, step, next))
      case 'repeat': {
        const round = (done: number, position: number): boolean => {
          const again = (): boolean =>
            done < node.maximum &&
            this.#match(
              node.item,
              position,
              step,
              (end) => (end !== position || done < node.minimum) && round(done + 1, end),
            )
          const stop = (): boolean => done >= node.minimum && next(position)
          return node.mode === 'greedy' ? again() || stop() : stop() || again()
        }
        return round(0, at)
      }
      case 'group':
        return this.#match(node.item, at, step, next)
      case 'look':
        return (
          this.#match(node.item, at, node.direction === 'behind' ? -1 : 1, () => true) !== node.negative && next(at)
        )
      case 'assertion':
        return (node.kind === 'start' ? at === 0 : node.kind === 'end' ? at === this.#subject.length : true) && next(at)
      default:
        throw new Error(`${node.type} is not counted`)
    }
  }
}

const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '[^b]')
const quantifier = fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{0,4}', '{2,}')
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.oneof(
    fc.array(tie('piece'), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('')),
    fc.array(tie('piece'), { minLength: 2, maxLength: 3 }).map((pieces) => pieces.join('|')),
  ),
  piece: fc.oneof(
    { maxDepth: 2 },
    fc.tuple(atom, quantifier).map((parts) => parts.join('')),
    fc.constantFrom('^', '$', '(?<=a?b)', '(?<!a{1,3}a?)'),
    fc.tuple(tie('pattern'), quantifier).map(([inner, count]) => `(${inner})${count}`),
  ),
}))
const subjects = fc.oneof(
  fc.constantFrom('a'.repeat(12), 'ab'.repeat(6), `${'a'.repeat(11)}c`),
  fc.array(fc.constantFrom('a', 'a', 'a', 'b', 'c'), { maxLength: 12 }).map((letters) => letters.join('')),
)

test('no search by backtracking takes more steps than its cost', () => {
  fc.assert(
    fc.property(pattern, subjects, fc.constantFrom('part' as const, 'whole' as const), (source, subject, extent) => {
      const { root } = parseRegex(source, '')
      const limit = valueAt(backtrackingCost(root, extent), subject.length + 1)
      fc.pre(limit < 100_000)
      new Counter(subject, limit).search(root, extent)
    }),
    { numRuns: 3000 },
  )
})

/** Typical patterns of a gateway, and the length of text up to which V8 must be used. */
const everyday: readonly (readonly [string, number])[] = [
  ['^/api/v[12]/(users|groups)/\\d+$', 100_000],
  ['^(?:https?://)?([^/:]+)(?::\\d+)?(/.*)?$', 100_000],
  ['^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$', 100_000],
  ['\\.(?:js|css|png|jpe?g)$', 100_000],
  ['[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 50_000],
  ['.*/admin/.*', 500],
  ['(?i)bearer\\s+([A-Za-z0-9._~+/-]+=*)$', 500],
]

for (const [source, length] of everyday) {
  test(`${source} is cheap on ${length} characters`, () => {
    const cost = backtrackingCost(parseRegex(source, '').root, 'part')
    assert.ok(longestWithin(2 ** 23, cost, length) === length, `cost ${cost.join(', ')}`)
  })
}
