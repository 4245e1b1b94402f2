import type { RegexNode, Repeat } from './ast.ts'
import { widthOf } from './ast.ts'
import { type CharSet, intersect } from './char-set.ts'

/**
 * How long a backtracking engine can take at worst: about `factor` times the length of the subject to the power of
 * `degree`. V8's fallback to its linear engine does not count the steps of simple loops, so that `a+$` alone takes
 * seconds on a long subject; therefore the bound is worked out here.
 */
export interface Cost {
  readonly degree: number
  readonly factor: number
}

/** What comes after a piece: the characters one of which must follow, anything (null), or nothing more to match. */
type Follow = CharSet | null | 'nothing'

/** Degrees: `choices` from loops that can stop in many places, `scan` if a loop runs after the last of those. */
interface Growth {
  readonly choices: number
  readonly scan: boolean
  readonly factor: number
}

const constant: Growth = { choices: 0, scan: false, factor: 1 }
const unbounded: Growth = { choices: Number.POSITIVE_INFINITY, scan: true, factor: 1 }

/** Bounds the time of a search for a pattern, or of a match of the whole subject. */
export function costOf(root: RegexNode, extent: 'part' | 'whole'): Cost {
  const growth = growthOf(root, extent === 'whole' ? [] : 'nothing')
  const starts = extent === 'whole' || isBoundToStart(root) ? 0 : 1
  return { degree: starts + growth.choices + (growth.scan ? 1 : 0), factor: growth.factor }
}

function isBoundToStart(node: RegexNode): boolean {
  if (node.type === 'assertion') return node.kind === 'start'
  if (node.type === 'choice') return node.options.every(isBoundToStart)
  if (node.type === 'sequence') return node.items[0] !== undefined && isBoundToStart(node.items[0])
  return node.type === 'group' && isBoundToStart(node.item)
}

function growthOf(node: RegexNode, follow: Follow): Growth {
  switch (node.type) {
    case 'set':
    case 'assertion':
      return constant
    case 'sequence':
      return node.items.reduceRight<Growth & { follow: Follow }>(
        (after, item) => ({ ...inTurn(growthOf(item, after.follow), after), follow: firstOf(item, after.follow) }),
        { ...constant, follow },
      )
    case 'choice': {
      const options = node.options.map((option) => growthOf(option, follow))
      return {
        choices: Math.max(...options.map((option) => option.choices)),
        scan: options.some((option) => option.scan),
        factor: options.reduce((sum, option) => sum + option.factor, 0),
      }
    }
    case 'repeat':
      return ofRepeat(node, follow)
    case 'group':
      return growthOf(node.item, follow)
    case 'look': {
      const inner = growthOf(node.item, null)
      return { ...inner, factor: inner.factor * Math.max(1, widthOf(node.item)[1]) }
    }
    case 'atomic':
    case 'backreference':
      return unbounded
  }
}

/** Every choice of the first piece may run the second one again. */
function inTurn(first: Growth, second: Growth): Growth {
  const choices = first.choices + second.choices
  const scan = second.choices > 0 ? second.scan : first.choices > 0 ? second.scan : first.scan || second.scan
  return { choices, scan, factor: first.factor * second.factor }
}

function ofRepeat(node: Repeat, follow: Follow): Growth {
  const { item, minimum, maximum } = node
  const inner = growthOf(item, null)
  if (Number.isFinite(maximum)) {
    const factor = inner.factor ** Math.max(1, maximum) * (maximum - minimum + 1)
    return { choices: (inner.choices + (inner.scan ? 1 : 0)) * maximum, scan: false, factor }
  }
  if (inner.choices > 0 || inner.scan || inner.factor > 1) return unbounded
  // A last loop that succeeds is never gone back to.
  if (follow === 'nothing') return constant
  const decided = item.type === 'set' && follow !== null && intersect(item.set, follow).length === 0
  return decided ? { choices: 0, scan: true, factor: 1 } : { choices: 1, scan: false, factor: 1 }
}

/** The characters one of which must come first, given what follows; an end leaves none. */
function firstOf(node: RegexNode, follow: Follow): Follow {
  switch (node.type) {
    case 'set':
      return node.set
    case 'assertion':
      return node.kind === 'end' ? [] : null
    case 'sequence':
      return node.items.reduceRight<Follow>((after, item) => firstOf(item, after), follow)
    case 'group':
      return firstOf(node.item, follow)
    case 'repeat':
      return node.minimum > 0 ? firstOf(node.item, null) : null
    default:
      return null
  }
}
