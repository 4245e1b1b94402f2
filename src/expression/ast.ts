import type { Numeric } from '#json'

/** Operators between two operands, in their symbol spelling. */
export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '<' | '>' | '<=' | '>=' | '==' | '!=' | '&&' | '||'

/** Operators before one operand, in their symbol spelling. */
type UnaryOperator = '-' | '!' | 'empty'

export type Literal = string | Numeric | boolean | null

/** One parsed expression; `at` is the offset in the source text. */
export type Node =
  | { readonly type: 'literal'; readonly value: Literal }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'member'; readonly target: Node; readonly key: Node }
  | {
      readonly type: 'method'
      readonly target: Node
      readonly name: string
      readonly args: readonly Node[]
      readonly at: number
    }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Node[]; readonly at: number }
  | { readonly type: 'unary'; readonly operator: UnaryOperator; readonly operand: Node }
  | { readonly type: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly type: 'ternary'; readonly test: Node; readonly whenTrue: Node; readonly whenFalse: Node }

/** A part of a template string: literal text or one `${...}`. */
export type Segment = string | Node

/** The key of a member access, if it is a literal. */
export function literalKey(node: Node): string | number | undefined {
  if (node.type !== 'member' || node.key.type !== 'literal') return undefined
  const { value } = node.key
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}

/** Visits a node and its descendants. */
export function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  for (const child of childrenOf(node)) visit(child, see)
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'literal':
    case 'name':
      return []
    case 'member':
      return [node.target, node.key]
    case 'method':
      return [node.target, ...node.args]
    case 'call':
      return node.args
    case 'unary':
      return [node.operand]
    case 'binary':
      return [node.left, node.right]
    case 'ternary':
      return [node.test, node.whenTrue, node.whenFalse]
  }
}
