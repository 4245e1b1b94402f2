import { type RegexNode, type Repeat, some, widthOf } from './ast.ts'
import { negate, printSet } from './char-set.ts'
import { lineTerminators } from './named-sets.ts'

/** Limit of V8's linear engine for counted repetitions, nested ones multiplied. */
const maxReplication = 16
const maxSourceLength = 20_000
const maxNestedOptions = 200

/** Internal: the pattern has no form that the linear engine accepts. */
class NotLinear extends Error {}

/**
 * The pattern as a JavaScript pattern that V8 can run in linear time (its fallback engine has no look-ahead, no back reference,
 * no `i`, `u` or `v` flag, no group in a look-behind and no large counts); null if there is no such form.
 */
export function emitLinear(root: RegexNode): string | null {
  try {
    const source = emit(root, 1)
    return source.length > maxSourceLength ? null : source
  } catch (error) {
    if (error instanceof NotLinear) return null
    throw error
  }
}

function emit(node: RegexNode, replication: number): string {
  switch (node.type) {
    case 'set':
      return printSet(node.set)
    case 'sequence':
      return bounded(
        node.items.map((item) => (item.type === 'choice' ? wrap(item, replication) : emit(item, replication))).join(''),
      )
    case 'choice':
      return bounded(node.options.map((option) => emit(option, replication)).join('|'))
    case 'repeat':
      return bounded(emitRepeat(node, replication))
    case 'group':
      return `(${emit(node.item, replication)})`
    case 'look':
      return emitLook(node, replication)
    case 'assertion':
      return emitAssertion(node.kind)
    case 'atomic':
    case 'backreference':
      throw new NotLinear()
  }
}

const wrap = (node: RegexNode, replication: number): string =>
  node.type === 'set' || node.type === 'group' ? emit(node, replication) : `(?:${emit(node, replication)})`

function emitRepeat(node: Repeat, replication: number): string {
  const { item, minimum, maximum } = node
  const lazy = node.mode === 'lazy' ? '?' : ''
  if (maximum === 0) return some(item, isGroup) ? notLinear() : '(?:)'
  // V8 counts one more copy for an unbounded repetition of a part that can match the empty string: `(?:a*)+` is two.
  const extra = minimum > 0 && widthOf(item)[0] === 0 ? 1 : 0
  const factor = Math.max(1, Number.isFinite(maximum) ? maximum : minimum + extra)
  if (factor * replication <= maxReplication) return wrap(item, factor * replication) + counts(minimum, maximum) + lazy
  // Copies in the source do not count as replication, but a copied group would become two groups.
  if (some(item, isGroup)) return notLinear()
  const piece = wrap(item, replication)
  const rest = Number.isFinite(maximum) ? maximum - minimum : 0
  if (rest > maxNestedOptions || piece.length * factor > maxSourceLength) return notLinear()
  const optional = `(?:${piece}`.repeat(rest) + `)?${lazy}`.repeat(rest)
  const open = Number.isFinite(maximum) ? '' : `${piece}*${lazy}`
  return `(?:${piece.repeat(minimum)}${optional}${open})`
}

function counts(minimum: number, maximum: number): string {
  if (minimum === 0 && maximum === 1) return '?'
  if (!Number.isFinite(maximum)) return minimum === 0 ? '*' : minimum === 1 ? '+' : `{${minimum},}`
  return minimum === maximum ? `{${minimum}}` : `{${minimum},${maximum}}`
}

function emitLook(node: RegexNode & { type: 'look' }, replication: number): string {
  if (node.direction === 'ahead' || some(node.item, isGroup)) return notLinear()
  return `(?<${node.negative ? '!' : '='}${emit(node.item, replication)})`
}

function emitAssertion(kind: (RegexNode & { type: 'assertion' })['kind']): string {
  switch (kind) {
    case 'start':
      return '^'
    case 'end':
      return '$'
    case 'boundary':
      return '\\b'
    case 'notBoundary':
      return '\\B'
    case 'lineStart':
      return `(?<!${printSet(negate(lineTerminators))})`
    case 'lineEnd':
    case 'endOrLastLine':
      return notLinear()
  }
}

const isGroup = (node: RegexNode): boolean => node.type === 'group'

function bounded(source: string): string {
  return source.length > maxSourceLength ? notLinear() : source
}

function notLinear(): never {
  throw new NotLinear()
}
