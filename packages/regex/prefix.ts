import type { ParsedRegex, RegexNode } from './ast.ts'
import { onlyUnit } from './char-set.ts'

/** The common prefix of all texts that a pattern matches; `exact` if it is the whole text. */
interface LiteralPrefix {
  readonly text: string
  readonly exact: boolean
}

/** A literal prefix; `open` if more literal text may be appended. */
interface Beginning {
  readonly text: string
  readonly open: boolean
  /** Whether the pattern requires the end of the text after it. */
  readonly ended: boolean
}

const nothing: Beginning = { text: '', open: false, ended: false }

/** The literal prefix of every match of an anchored pattern; null if it is not anchored. */
export function literalPrefix({ root }: ParsedRegex, anchoring: 'found' | 'whole'): LiteralPrefix | null {
  const options = root.type === 'choice' ? root.options : [root]
  const prefixes = options.map((option) => prefixOf(option, anchoring))
  return prefixes.reduce((left, right) => {
    if (left === null || right === null) return null
    if (left.exact && right.exact && left.text === right.text) return left
    return { text: commonPrefix(left.text, right.text), exact: false }
  })
}

function prefixOf(node: RegexNode, anchoring: 'found' | 'whole'): LiteralPrefix | null {
  const items = node.type === 'sequence' ? node.items : [node]
  const [first] = items
  const anchored = first?.type === 'assertion' && first.kind === 'start'
  if (!anchored && anchoring === 'found') return null
  const beginning = ofSequence(anchored ? items.slice(1) : items)
  return { text: beginning.text, exact: beginning.ended || (beginning.open && anchoring === 'whole') }
}

function ofSequence(items: readonly RegexNode[]): Beginning {
  let text = ''
  for (const [index, item] of items.entries()) {
    if (item.type === 'assertion' && item.kind === 'end')
      return { text, open: false, ended: index === items.length - 1 }
    const next = beginningOf(item)
    text += next.text
    if (!next.open) return { text, open: false, ended: false }
  }
  return { text, open: true, ended: false }
}

function beginningOf(node: RegexNode): Beginning {
  switch (node.type) {
    case 'set': {
      const unit = onlyUnit(node.set)
      return unit === null ? nothing : { text: String.fromCharCode(unit), open: true, ended: false }
    }
    case 'sequence':
      return ofSequence(node.items)
    case 'group':
    case 'atomic':
      return beginningOf(node.item)
    case 'repeat': {
      const once = node.minimum === 0 ? nothing : beginningOf(node.item)
      return { ...once, open: once.open && node.minimum === 1 && node.maximum === 1, ended: false }
    }
    case 'choice': {
      const texts = node.options.map((option) => beginningOf(option).text)
      return { text: texts.reduce(commonPrefix), open: false, ended: false }
    }
    default:
      return nothing
  }
}

/** The text of a pattern without any other construct; null for other patterns, and for the empty one. */
export function literalText({ root }: ParsedRegex): string | null {
  const items = root.type === 'sequence' ? root.items : [root]
  let text = ''
  for (const item of items) {
    const unit = item.type === 'set' ? onlyUnit(item.set) : null
    if (unit === null) return null
    text += String.fromCharCode(unit)
  }
  return text === '' ? null : text
}

export function commonPrefix(left: string, right: string): string {
  let length = 0
  while (length < left.length && left[length] === right[length]) length += 1
  return left.slice(0, length)
}

/** Whether every alternative of a pattern is anchored to the start and the end of the text. */
export function isAnchored({ root }: ParsedRegex): boolean {
  return begins(root) && ends(root)
}

function begins(node: RegexNode): boolean {
  if (node.type === 'assertion') return node.kind === 'start'
  if (node.type === 'choice') return node.options.every(begins)
  if (node.type === 'sequence') return node.items[0] !== undefined && begins(node.items[0])
  return (node.type === 'group' || node.type === 'atomic') && begins(node.item)
}

function ends(node: RegexNode): boolean {
  if (node.type === 'assertion') return node.kind === 'end'
  if (node.type === 'choice') return node.options.every(ends)
  const last = node.type === 'sequence' ? node.items.at(-1) : undefined
  if (last !== undefined) return ends(last)
  return (node.type === 'group' || node.type === 'atomic') && ends(node.item)
}
