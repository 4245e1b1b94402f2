// Compiles expressions of the syntax tree to functions.
import type { Expression } from '../syntax/ast.ts'
import { recorded } from './assertion.ts'
import { compileAssign, compileMultipleAssign, compileStep } from './assignment.ts'
import { compileCall, compileCallValue } from './calls.ts'
import { compileClosure } from './closures.ts'
import type { Context } from './context.ts'
import { compileNew, compileNewArray } from './creation.ts'
import type { Node } from './frame.ts'
import { compileGString, compileList, compileMap, compileRange } from './literals.ts'
import { compileIndex, compileMethodPointer, compileProperty } from './members.ts'
import { compileThis, compileVariable } from './names.ts'
import { compileBinary, compileCast, compileInstanceOf, compileTernary, compileUnary } from './operations.ts'
import { compileSwitchExpression } from './switch.ts'

export function compileExpression(expression: Expression, context: Context): Node {
  const node = compilePlain(expression, context)
  return context.record === null ? node : recorded(expression, node, context)
}

function compilePlain(expression: Expression, context: Context): Node {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression
      return () => value
    }
    case 'bracketed':
      return compileExpression(expression.inner, context)
    case 'variable':
      return compileVariable(expression, context)
    case 'this':
    case 'super':
      return compileThis(expression, context)
    case 'gstring':
      return compileGString(expression, context)
    case 'list':
      return compileList(expression, context)
    case 'map':
      return compileMap(expression, context)
    case 'range':
      return compileRange(expression, context)
    case 'property':
      return compileProperty(expression, context)
    case 'index':
      return compileIndex(expression, context)
    case 'methodPointer':
      return compileMethodPointer(expression, context)
    case 'call':
      return compileCall(expression, context)
    case 'callValue':
      return compileCallValue(expression, context)
    case 'new':
      return compileNew(expression, context)
    case 'newArray':
      return compileNewArray(expression, context)
    case 'unary':
      return compileUnary(expression, context)
    case 'step':
      return compileStep(expression, context)
    case 'binary':
      return compileBinary(expression, context)
    case 'ternary':
      return compileTernary(expression, context)
    case 'assign':
      return compileAssign(expression, context)
    case 'multipleAssign':
      return compileMultipleAssign(expression, context)
    case 'cast':
      return compileCast(expression, context)
    case 'instanceof':
      return compileInstanceOf(expression, context)
    case 'closure':
      return compileClosure(expression, context)
    case 'switchExpression':
      return compileSwitchExpression(expression, context)
    case 'spread':
      throw context.unit.fail('the spread operator * is allowed only in arguments and list items', expression.position)
    case 'arrayItems':
      throw context.unit.fail(
        'an array initializer { } is allowed only after new with an array type',
        expression.position,
      )
  }
}
