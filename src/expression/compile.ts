import { cachedRegex, literalRegex, type Matcher, RegexSyntaxError } from '@identity-gateway/regex'
import { negate } from '#json'
import { read, reader } from './access.ts'
import type { Literal, Node } from './ast.ts'
import { toBoolean, toNumber } from './coercion.ts'
import { ExpressionSyntaxError } from './errors.ts'
import type { FunctionDefinition } from './functions/definition.ts'
import { functions, similarFunction } from './functions/table.ts'
import { callMethod } from './methods/call.ts'
import { regexMethods } from './methods/strings.ts'
import { isEmpty, strictOperators } from './operators.ts'
import type { Scope } from './scope.ts'
import { toExpressionValue } from './values.ts'

/** A compiled node. */
export type Evaluate = (scope: Scope) => unknown

/** Compiles a parsed expression to closures; checks names of functions and numbers of arguments. */
export function compileNode(node: Node): Evaluate {
  switch (node.type) {
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'name': {
      const { name } = node
      return (scope) => toExpressionValue(scope.lookup(name))
    }
    case 'member':
      return compileMember(node.target, node.key)
    case 'method':
      return compileMethod(node)
    case 'call':
      return compileCall(node.name, node.args, node.at)
    case 'unary':
      return compileUnary(node)
    case 'binary':
      return compileBinary(node)
    case 'ternary': {
      const [test, then, otherwise] = [node.test, node.whenTrue, node.whenFalse].map(compileNode) as [
        Evaluate,
        Evaluate,
        Evaluate,
      ]
      return (scope) => (toBoolean(test(scope)) ? then(scope) : otherwise(scope))
    }
  }
}

function compileMember(targetNode: Node, keyNode: Node): Evaluate {
  const target = compileNode(targetNode)
  if (keyNode.type === 'literal' && (typeof keyNode.value === 'string' || typeof keyNode.value === 'number')) {
    const readKey = reader(keyNode.value)
    return (scope) => readKey(target(scope))
  }
  const key = compileNode(keyNode)
  return (scope) => {
    const base = target(scope)
    return base === null ? null : read(base, key(scope))
  }
}

function compileMethod({ target: targetNode, name, args: argNodes, at }: Node & { type: 'method' }): Evaluate {
  const target = compileNode(targetNode)
  const args = argNodes.map(compileNode)
  const [pattern] = argNodes
  if (pattern?.type === 'literal' && regexMethods.has(name)) patternOf(pattern.value, at)
  return (scope) => {
    const base = target(scope)
    return base === null
      ? null
      : callMethod(
          base,
          name,
          args.map((arg) => arg(scope)),
        )
  }
}

function compileCall(name: string, argNodes: readonly Node[], at: number): Evaluate {
  const definition = functions.get(name)
  if (definition === undefined) {
    const similar = similarFunction(name)
    const hint = similar === null ? '' : `, did you mean "${similar}"?`
    throw new ExpressionSyntaxError(`there is no function "${name}"${hint}`, at)
  }
  checkArity(definition, argNodes.length, at)
  const args = argNodes.map((arg, index) =>
    index === definition.pattern ? compilePattern(arg, name, at) : compileNode(arg),
  )
  const { call } = definition
  return (scope) =>
    call(
      args.map((arg) => arg(scope)),
      scope,
    )
}

/** A literal pattern is compiled now and must be valid; any other is compiled at evaluation, with a warning if invalid. */
function compilePattern(node: Node, name: string, at: number): Evaluate {
  if (node.type === 'literal') {
    const matcher = patternOf(node.value, at)
    return () => matcher
  }
  const pattern = compileNode(node)
  return (scope) => {
    const source = pattern(scope)
    if (typeof source !== 'string') return null
    try {
      return cachedRegex(source)
    } catch (error) {
      if (!(error instanceof RegexSyntaxError)) throw error
      scope.warn?.(`${name}() was given a regular expression that does not compile: ${error.message}`)
      return null
    }
  }
}

function patternOf(pattern: Literal, at: number): Matcher | null {
  if (typeof pattern !== 'string') return null
  try {
    return literalRegex(pattern)
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw new ExpressionSyntaxError(error.message, at)
    throw error
  }
}

function checkArity(definition: FunctionDefinition, count: number, at: number): void {
  if (count >= definition.minimum && count <= definition.maximum) return
  const { name, parameters } = definition
  throw new ExpressionSyntaxError(`expected ${name}(${parameters}), found ${count} arguments`, at)
}

function compileUnary(node: Node & { type: 'unary' }): Evaluate {
  const operand = compileNode(node.operand)
  switch (node.operator) {
    case '-':
      return (scope) => negate(toNumber(operand(scope)))
    case '!':
      return (scope) => !toBoolean(operand(scope))
    case 'empty':
      return (scope) => isEmpty(operand(scope))
  }
}

function compileBinary(node: Node & { type: 'binary' }): Evaluate {
  const left = compileNode(node.left)
  const right = compileNode(node.right)
  if (node.operator === '&&') return (scope) => toBoolean(left(scope)) && toBoolean(right(scope))
  if (node.operator === '||') return (scope) => toBoolean(left(scope)) || toBoolean(right(scope))
  const apply = strictOperators[node.operator]
  return (scope) => apply(left(scope), right(scope))
}
