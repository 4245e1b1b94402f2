import type { Node } from './ast.ts'
import { literalKey } from './ast.ts'

const IDENTIFIER = /^[A-Za-z_]\w*$/

/** An expression as it could be written; parentheses are those that are needed, or make its structure visible. */
export function nodeText(node: Node): string {
  switch (node.type) {
    case 'literal':
      return typeof node.value === 'string' ? `'${node.value.replaceAll(/[\\']/g, '\\$&')}'` : String(node.value)
    case 'name':
      return node.name
    case 'member': {
      const key = literalKey(node)
      const isName = typeof key === 'string' && IDENTIFIER.test(key)
      return nodeText(node.target) + (isName ? `.${key}` : `[${nodeText(node.key)}]`)
    }
    case 'method':
      return `${nodeText(node.target)}.${node.name}(${node.args.map(nodeText).join(', ')})`
    case 'call':
      return `${node.name}(${node.args.map(nodeText).join(', ')})`
    case 'unary':
      return `${node.operator === 'empty' ? 'empty ' : node.operator}${operandText(node.operand)}`
    case 'binary':
      return `${operandText(node.left)} ${node.operator} ${operandText(node.right)}`
    case 'ternary':
      return `${operandText(node.test)} ? ${operandText(node.whenTrue)} : ${operandText(node.whenFalse)}`
  }
}

function operandText(node: Node): string {
  return node.type === 'binary' || node.type === 'ternary' ? `(${nodeText(node)})` : nodeText(node)
}
