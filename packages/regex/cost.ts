import type { RegexNode, Repeat } from './ast.ts'
import { type CharSet, intersect, union } from './char-set.ts'
import { one, type Polynomial, perPosition, plus, power, steps, times, unbounded, zero } from './polynomial.ts'

/**
 * Cost of a node for a backtracking engine, from one position: the number of positions where it can end, from each of which
 * the rest is matched again, and the steps for trying all of them.
 */
interface Trial {
  readonly ends: Polynomial
  readonly work: Polynomial
}

/** The required next input: one of these characters or the end of the text; other input fails after `steps`. */
interface Expected {
  readonly set: CharSet
  readonly failure: number
}

/** The input after a node: expected characters, any (null), or the end of the pattern. */
type Follow = Expected | null | 'nothing'

/** Direction of matching: backwards in a look-behind, where the last node of a sequence is first. */
type Direction = 'forward' | 'backward'

const theEnd: Expected = { set: [], failure: 1 }

/**
 * Upper bound of the steps of V8 for a search, or for a match of the whole subject, by backtracking. Its fallback to a linear
 * engine is not reliable: it does not count the steps of simple loops, so that `a+$` takes seconds on a long subject.
 */
export function backtrackingCost(root: RegexNode, extent: 'part' | 'whole'): Polynomial {
  if (extent === 'whole') return trialOf(root, theEnd, 'forward').work
  const { work } = trialOf(root, 'nothing', 'forward')
  return plus(isBoundToStart(root) ? work : times(perPosition, work), lastLoop(root))
}

/** Upper bound of the steps of V8's linear engine: each node runs at each position. */
export const linearCost = (root: RegexNode): Polynomial => times(perPosition, steps(sizeOf(root)))

function sizeOf(node: RegexNode): number {
  switch (node.type) {
    case 'set':
      // The ranges of a set are tried sequentially.
      return 1 + node.set.length / 128
    case 'sequence':
      return node.items.reduce((sum, item) => sum + sizeOf(item), 0)
    case 'choice':
      return node.options.reduce((sum, option) => sum + 1 + sizeOf(option), 0)
    case 'repeat':
      return (1 + sizeOf(node.item)) * (Number.isFinite(node.maximum) ? node.maximum : node.minimum + 1)
    case 'group':
    case 'look':
    case 'atomic':
      return 2 + sizeOf(node.item)
    default:
      return 1
  }
}

function isBoundToStart(node: RegexNode): boolean {
  if (node.type === 'assertion') return node.kind === 'start'
  if (node.type === 'choice') return node.options.every(isBoundToStart)
  if (node.type === 'sequence') return node.items[0] !== undefined && isBoundToStart(node.items[0])
  return node.type === 'group' && isBoundToStart(node.item)
}

/** Cost of a loop at the end of the pattern: it runs once in a search, since the search has then succeeded. */
function lastLoop(node: RegexNode): Polynomial {
  switch (node.type) {
    case 'sequence':
      return node.items.length === 0 ? zero : lastLoop(node.items.at(-1)!)
    case 'choice':
      return node.options.map(lastLoop).reduce(plus)
    case 'group':
      return lastLoop(node.item)
    case 'repeat':
      if (node.maximum === 1) return lastLoop(node.item)
      return Number.isFinite(node.maximum) ? zero : times(perPosition, trialOf(node.item, null, 'forward').work)
    default:
      return zero
  }
}

function trialOf(node: RegexNode, follow: Follow, direction: Direction): Trial {
  switch (node.type) {
    case 'set':
    case 'assertion':
      return { ends: one, work: one }
    case 'sequence':
      return ofSequence(node.items, follow, direction)
    case 'choice': {
      const options = node.options.map((option) => trialOf(option, follow, direction))
      return { ends: options.map(({ ends }) => ends).reduce(plus), work: options.map(({ work }) => work).reduce(plus) }
    }
    case 'repeat':
      return ofRepeat(node, follow, direction)
    case 'group': {
      const { ends, work } = trialOf(node.item, follow, direction)
      // Both ends of a group are recorded, and restored on backtracking.
      return { ends, work: plus(work, plus(steps(2), times(ends, steps(2)))) }
    }
    case 'look': {
      const inner = trialOf(node.item, null, node.direction === 'behind' ? 'backward' : 'forward')
      // After a match it is not backtracked into.
      return { ends: one, work: plus(one, inner.work) }
    }
    case 'atomic':
    case 'backreference':
      return { ends: unbounded, work: unbounded }
  }
}

/** From every end of a node the following nodes are matched again. */
function ofSequence(items: readonly RegexNode[], follow: Follow, direction: Direction): Trial {
  let result: Trial = { ends: one, work: one }
  let next = follow
  for (const item of direction === 'forward' ? items.toReversed() : items) {
    const { ends, work } = trialOf(item, next, direction)
    result = { ends: times(ends, result.ends), work: plus(work, times(ends, result.work)) }
    next = direction === 'forward' ? expectedBy(item, next === 'nothing' ? null : next) : null
  }
  return result
}

function ofRepeat({ item, minimum, maximum }: Repeat, follow: Follow, direction: Direction): Trial {
  if (maximum === 0) return { ends: one, work: one }
  const { ends, work } = trialOf(item, maximum === 1 ? follow : null, direction)
  const round = plus(one, work)
  const first = expectedBy(item, null)
  // The end of the loop is unambiguous if the rest cannot start like another iteration: other ends fail at once.
  const decided =
    first !== null && follow !== null && follow !== 'nothing' && intersect(first.set, follow.set).length === 0
  const trial = decided ? plus(round, times(ends, steps(follow.failure))) : round
  if (Number.isFinite(maximum)) {
    const stops = decided ? one : steps(maximum - minimum + 1)
    return {
      ends: times(stops, power(ends, maximum)),
      work: plus(one, times(times(steps(maximum), trial), power(ends, maximum - 1))),
    }
  }
  if (ends.length > 1 || ends[0] !== 1) return { ends: unbounded, work: unbounded }
  // A last loop that succeeds is not backtracked into; see `lastLoop`.
  if (follow === 'nothing') return { ends: one, work: times(steps(minimum + 1), round) }
  const rounds = plus(perPosition, steps(minimum))
  return { ends: decided ? one : perPosition, work: plus(one, times(rounds, trial)) }
}

/** The required first input of a node, given that of its successor; null if unknown, or if it can be skipped in many ways. */
function expectedBy(node: RegexNode, after: Expected | null): Expected | null {
  switch (node.type) {
    case 'set':
      return { set: node.set, failure: 1 }
    case 'assertion':
      return node.kind === 'end' ? theEnd : null
    case 'sequence':
      return node.items.reduceRight<Expected | null>((next, item) => expectedBy(item, next), after)
    case 'group': {
      const inner = expectedBy(node.item, after)
      return inner && { set: inner.set, failure: inner.failure + 4 }
    }
    case 'choice':
      return node.options.map((option) => expectedBy(option, null)).reduce(either)
    case 'repeat': {
      const first = node.maximum === 0 ? null : expectedBy(node.item, null)
      return node.minimum > 0 ? first : either(first, after)
    }
    default:
      return null
  }
}

const either = (left: Expected | null, right: Expected | null): Expected | null =>
  left && right && { set: union(left.set, right.set), failure: left.failure + right.failure + 1 }
