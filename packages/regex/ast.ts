import type { CharSet } from './char-set.ts'
import type { Fold } from './reader.ts'

/** A zero-width assertion. */
export type Assertion = 'start' | 'end' | 'endOrLastLine' | 'lineStart' | 'lineEnd' | 'boundary' | 'notBoundary'

/** A node of a parsed pattern; flags such as `(?i)` are already applied to the sets. */
export type RegexNode =
  | { readonly type: 'set'; readonly set: CharSet }
  | { readonly type: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly type: 'choice'; readonly options: readonly RegexNode[] }
  | Repeat
  | { readonly type: 'group'; readonly index: number; readonly item: RegexNode }
  | { readonly type: 'atomic'; readonly item: RegexNode }
  | {
      readonly type: 'look'
      readonly direction: 'ahead' | 'behind'
      readonly negative: boolean
      readonly item: RegexNode
    }
  | { readonly type: 'backreference'; readonly index: number; readonly fold: Fold }
  | { readonly type: 'assertion'; readonly kind: Assertion }

/** A quantifier. */
export interface Repeat {
  readonly type: 'repeat'
  readonly item: RegexNode
  readonly minimum: number
  readonly maximum: number
  readonly mode: 'greedy' | 'lazy'
}

/** A whole parsed pattern. */
export interface ParsedRegex {
  readonly root: RegexNode
  readonly groupCount: number
  readonly names: ReadonlyMap<string, number>
}

function childrenOf(node: RegexNode): readonly RegexNode[] {
  if (node.type === 'sequence') return node.items
  if (node.type === 'choice') return node.options
  return 'item' in node ? [node.item] : []
}

/** Whether a node or a descendant satisfies `test`. */
export function some(node: RegexNode, test: (node: RegexNode) => boolean): boolean {
  return test(node) || childrenOf(node).some((inner) => some(inner, test))
}

/** The minimum and maximum number of code units that a node can match. */
export function widthOf(node: RegexNode): readonly [number, number] {
  switch (node.type) {
    case 'set':
      return [1, 1]
    case 'sequence': {
      const widths = node.items.map(widthOf)
      return [widths.reduce((sum, [least]) => sum + least, 0), widths.reduce((sum, [, most]) => sum + most, 0)]
    }
    case 'choice': {
      const widths = node.options.map(widthOf)
      return [Math.min(...widths.map(([least]) => least)), Math.max(...widths.map(([, most]) => most))]
    }
    case 'repeat': {
      const [least, most] = widthOf(node.item)
      return [least * node.minimum, most === 0 ? 0 : most * node.maximum]
    }
    case 'group':
    case 'atomic':
      return widthOf(node.item)
    case 'backreference':
      return [0, Number.POSITIVE_INFINITY]
    case 'look':
    case 'assertion':
      return [0, 0]
  }
}
