import type { syntax } from '@identity-gateway/groovy'
import { expressionText } from './migrate-expressions.ts'
import type { Migration } from './migration.ts'

type Statement = syntax.Statement

/** A block with its braces; with `returns` its last expression is returned. */
export function blockText(block: syntax.BlockNode, migration: Migration, returns: boolean): string {
  const lines = statementLines(block.statements, migration, returns)
  return lines.length === 0 ? '{}' : `{\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}\n}`
}

/** Lines of statements, each preceded by its remarks. */
export function statementLines(statements: readonly Statement[], migration: Migration, returns: boolean): string[] {
  return statements.flatMap((statement, at) => {
    const text = statementText(statement, migration, returns && at === statements.length - 1)
    return [...migration.takeRemarks(), text]
  })
}

function statementText(node: Statement, migration: Migration, returns: boolean): string {
  const write = (each: syntax.Expression): string => expressionText(each, migration)
  const body = (each: Statement, isLast = false): string =>
    each.kind === 'block'
      ? blockText(each, migration, isLast)
      : blockText({ kind: 'block', statements: [each], position: each.position }, migration, isLast)
  switch (node.kind) {
    case 'block':
      return blockText(node, migration, returns)
    case 'expression': {
      const text = write(node.expression)
      const isAssignment = node.expression.kind === 'assign'
      return returns && !isAssignment ? `return ${text}` : text.startsWith('{') ? `(${text})` : text
    }
    case 'declaration':
      return declarationText(node, migration)
    case 'if': {
      const no =
        node.no === null
          ? ''
          : ` else ${node.no.kind === 'if' ? statementText(node.no, migration, returns) : body(node.no, returns)}`
      return `if (${write(node.condition)}) ${body(node.yes, returns)}${no}`
    }
    case 'while':
      return `while (${write(node.condition)}) ${body(node.body)}`
    case 'doWhile':
      return `do ${body(node.body)} while (${write(node.condition)})`
    case 'forIn':
      return `for (const ${node.variable.name} of ${write(node.items)}) ${body(node.body)}`
    case 'for': {
      const initial = node.initial.map((each) => statementText(each, migration, false)).join(', ')
      const condition = node.condition === null ? '' : write(node.condition)
      return `for (${initial}; ${condition}; ${node.update.map(write).join(', ')}) ${body(node.body)}`
    }
    case 'switch':
      return switchText(node, migration, returns)
    case 'try':
      return tryText(node, migration, returns)
    case 'return':
    case 'yield':
      return node.value === null ? 'return' : `return ${write(node.value)}`
    case 'throw':
      return `throw ${write(node.value).replace(/^new \w*Exception\(/, 'new Error(')}`
    case 'break':
    case 'continue':
      return node.label === null ? node.kind : `${node.kind} ${node.label}`
    case 'assert':
      return `if (!(${write(node.condition)})) throw new Error(${node.message === null ? "'assertion failed'" : write(node.message)})`
    case 'label':
      return `${node.label}: ${statementText(node.body, migration, false)}`
  }
}

function declarationText({ variables, destructured }: syntax.DeclarationNode, migration: Migration): string {
  if (destructured !== null)
    return `let [${variables.map(({ name }) => name).join(', ')}] = ${expressionText(destructured, migration)}`
  return `let ${variables
    .map(({ name, initial }) => (initial === null ? name : `${name} = ${expressionText(initial, migration)}`))
    .join(', ')}`
}

function switchText(node: syntax.SwitchNode, migration: Migration, returns: boolean): string {
  const cases = node.cases.map(({ labels, body, isArrow, position }) => {
    if (labels.some(({ kind }) => kind !== 'literal')) {
      migration.remark(position, 'a case of Groovy that is no plain value: write an if')
    }
    const head =
      labels.length === 0 ? 'default:' : labels.map((each) => `case ${expressionText(each, migration)}:`).join(' ')
    const lines = statementLines(body, migration, returns)
    return [head, ...lines.map((line) => `  ${line}`), ...(isArrow && !returns ? ['  break'] : [])].join('\n')
  })
  return `switch (${expressionText(node.value, migration)}) {\n${cases.join('\n')}\n}`
}

function tryText(node: syntax.TryNode, migration: Migration, returns: boolean): string {
  const [first, ...more] = node.catches
  if (more.length > 0 || node.resources.length > 0) {
    migration.remark(node.position, 'several catch clauses, or resources: JavaScript has one catch')
  }
  const caught = first === undefined ? '' : ` catch (${first.name}) ${blockText(first.body, migration, returns)}`
  const last = node.finally === null ? '' : ` finally ${blockText(node.finally, migration, false)}`
  return `try ${blockText(node.body, migration, returns)}${caught}${last}`
}
