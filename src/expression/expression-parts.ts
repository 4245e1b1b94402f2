import { JsonNumber } from '#json'
import { type Node, visit } from './ast.ts'
import { toBoolean, toText } from './coercion.ts'
import { compileNode } from './compile.ts'
import type { Expression } from './expression.ts'
import { enterEvaluation, leaveEvaluation } from './lazy-value.ts'
import { nodeText } from './node-text.ts'
import type { Scope } from './scope.ts'

/** The value of a part of an expression, for explanations. */
export interface ExpressionPart {
  readonly text: string
  /** 0 for operands of the whole expression. */
  readonly depth: number
  /** Its value as text: JSON for plain values. Missing where it failed. */
  readonly value?: string
  readonly failure?: string
  /** Whether live traffic does not evaluate it, since the operands before it decide. */
  readonly isSkipped?: boolean
}

const MAX_PARTS = 50
const MAX_VALUE = 120

/** Names whose values may be secrets. */
const HIDDEN = new Set(['env', 'system'])

/** The values of the operands of an expression, in the order of its text; literals are left out. */
export function expressionParts({ segments }: Expression, scope: Scope): readonly ExpressionPart[] {
  const parts: ExpressionPart[] = []
  const collect = (node: Node, depth: number, isSkipped: boolean): void => {
    if (node.type === 'literal' || parts.length >= MAX_PARTS) return
    parts.push({ text: nodeText(node), depth, ...evaluated(node, scope), ...(isSkipped && { isSkipped }) })
    descend(node, depth + 1, isSkipped)
  }
  const descend = (node: Node, depth: number, isSkipped: boolean): void => {
    for (const [operand, isDecided] of operandsOf(node, scope)) collect(operand, depth, isSkipped || isDecided)
  }
  for (const segment of segments) {
    if (typeof segment === 'string') continue
    if (segments.length > 1 || segment.type === 'name' || segment.type === 'member') collect(segment, 0, false)
    else descend(segment, 0, false)
  }
  return parts
}

/** Operands of a node, and whether those before them have decided. Names and members are values of their own. */
function operandsOf(node: Node, scope: Scope): readonly (readonly [Node, boolean])[] {
  switch (node.type) {
    case 'unary':
      return [[node.operand, false]]
    case 'binary': {
      const isLazy = node.operator === '&&' || node.operator === '||'
      const isDecided = isLazy && truth(node.left, scope) === (node.operator === '||')
      return [
        [node.left, false],
        [node.right, isDecided],
      ]
    }
    case 'ternary': {
      const test = truth(node.test, scope)
      return [
        [node.test, false],
        [node.whenTrue, test === false],
        [node.whenFalse, test === true],
      ]
    }
    case 'call':
      return node.args.map((arg) => [arg, false] as const)
    case 'method':
      return [node.target, ...node.args].map((operand) => [operand, false] as const)
    default:
      return []
  }
}

/** Null where it fails. */
function truth(node: Node, scope: Scope): boolean | null {
  try {
    return toBoolean(run(node, scope))
  } catch {
    return null
  }
}

function evaluated(node: Node, scope: Scope): Pick<ExpressionPart, 'value' | 'failure'> {
  try {
    const value = run(node, scope)
    if (typeof value !== 'boolean' && readsSecrets(node)) return { value: '(not shown)' }
    const text = valueText(value)
    return { value: text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}...` : text }
  } catch (error) {
    return { failure: (error as Error).message }
  }
}

function run(node: Node, scope: Scope): unknown {
  enterEvaluation()
  try {
    return compileNode(node)(scope)
  } finally {
    leaveEvaluation()
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || value === undefined) return 'null'
  return value instanceof JsonNumber ? value.text : toText(value)
}

function readsSecrets(node: Node): boolean {
  let isFound = false
  visit(node, (inner) => {
    isFound ||= inner.type === 'name' && HIDDEN.has(inner.name)
  })
  return isFound
}
