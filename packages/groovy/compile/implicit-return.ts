// The value of a method, closure or script is that of its last statement.
import type { BlockNode, Statement, SwitchCase } from '../syntax/ast.ts'

/** The same statements, where the last one returns its value. */
export function returningLast(statements: readonly Statement[]): readonly Statement[] {
  const last = statements.at(-1)
  if (last === undefined) return statements
  return [...statements.slice(0, -1), ...returning(last)]
}

function returning(statement: Statement): Statement[] {
  const { position } = statement
  switch (statement.kind) {
    case 'expression':
      return [{ kind: 'return', value: statement.expression, position }]
    case 'declaration': {
      const last = statement.variables.at(-1)
      if (last === undefined || statement.destructured !== null) return [{ ...statement, returns: true }]
      return [statement, { kind: 'return', value: { kind: 'variable', name: last.name, position }, position }]
    }
    case 'block':
      return [inBlock(statement)]
    case 'if': {
      const no = statement.no === null ? null : asOne(returning(statement.no), statement.no)
      return [{ ...statement, yes: asOne(returning(statement.yes), statement.yes), no }]
    }
    case 'try': {
      const catches = statement.catches.map((each) => ({ ...each, body: inBlock(each.body) }))
      return [{ ...statement, body: inBlock(statement.body), catches }]
    }
    case 'switch':
      return [{ ...statement, cases: statement.cases.map(inCase) }]
    case 'label':
      return [statement]
    default:
      return [statement]
  }
}

function inBlock(block: BlockNode): BlockNode {
  return { ...block, statements: returningLast(block.statements) }
}

function asOne(statements: readonly Statement[], { position }: Statement): Statement {
  const [only] = statements
  return statements.length === 1 && only !== undefined ? only : { kind: 'block', statements, position }
}

/** A case that ends in `break`, and the last one, returns the value before it. */
function inCase(each: SwitchCase, index: number, all: readonly SwitchCase[]): SwitchCase {
  const { body } = each
  const last = body.at(-1)
  if (each.isArrow) return { ...each, body: returningLast(body) }
  if (last?.kind === 'break' && last.label === null && body.length > 1) {
    return { ...each, body: [...returningLast(body.slice(0, -1)), last] }
  }
  return index === all.length - 1 || each.labels.length === 0 ? { ...each, body: returningLast(body) } : each
}
