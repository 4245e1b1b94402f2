import { ArithmeticError, JsonNumber, negate } from '#json'
import type { Node } from './ast.ts'
import { toBoolean, toNumber } from './coercion.ts'
import { EvaluationError } from './errors.ts'
import { isEmpty, strictOperators } from './operators.ts'

/** Evaluates operators whose operands are all literals; one that fails is left to fail at evaluation. */
export function foldConstants(node: Node): Node {
  switch (node.type) {
    case 'literal':
    case 'name':
      return node
    case 'member':
      return { ...node, target: foldConstants(node.target), key: foldConstants(node.key) }
    case 'method':
      return { ...node, target: foldConstants(node.target), args: node.args.map(foldConstants) }
    case 'call':
      return { ...node, args: node.args.map(foldConstants) }
    case 'unary':
      return foldUnary({ ...node, operand: foldConstants(node.operand) })
    case 'binary':
      return foldBinary({ ...node, left: foldConstants(node.left), right: foldConstants(node.right) })
    case 'ternary':
      return foldTernary({
        ...node,
        test: foldConstants(node.test),
        whenTrue: foldConstants(node.whenTrue),
        whenFalse: foldConstants(node.whenFalse),
      })
  }
}

function foldUnary(node: Node & { type: 'unary' }): Node {
  if (node.operand.type !== 'literal') return node
  const { value } = node.operand
  return attempt(node, () => {
    if (node.operator === '-') return negate(toNumber(value))
    return node.operator === '!' ? !toBoolean(value) : isEmpty(value)
  })
}

function foldBinary(node: Node & { type: 'binary' }): Node {
  const { left, right, operator } = node
  if (left.type !== 'literal' || right.type !== 'literal') return node
  return attempt(node, () => {
    if (operator === '&&') return toBoolean(left.value) && toBoolean(right.value)
    if (operator === '||') return toBoolean(left.value) || toBoolean(right.value)
    return strictOperators[operator](left.value, right.value)
  })
}

function foldTernary(node: Node & { type: 'ternary' }): Node {
  if (node.test.type !== 'literal') return node
  try {
    return toBoolean(node.test.value) ? node.whenTrue : node.whenFalse
  } catch (error) {
    if (error instanceof EvaluationError) return node
    throw error
  }
}

function attempt(node: Node, work: () => unknown): Node {
  try {
    const value = work()
    return typeof value === 'number' || typeof value === 'boolean' || value instanceof JsonNumber
      ? { type: 'literal', value }
      : node
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof ArithmeticError) return node
    throw error
  }
}
