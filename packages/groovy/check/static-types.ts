// Static types of expressions, as far as the source determines them.
import type { Expression } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import {
  ArrayListClass,
  BooleanClass,
  ClosureClass,
  GStringImplClass,
  LinkedHashMapClass,
  libraryClass,
  MatcherClass,
  PatternClass,
  RangeInterface,
  StringClass,
} from '../values/classes.ts'
import { BOX_NAMES } from './box-names.ts'
import type { CheckScope } from './check-scope.ts'
import type { StaticType } from './members.ts'

const COMPARISONS: ReadonlySet<string> = new Set([
  '==',
  '!=',
  '===',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  '!in',
  '==~',
  '&&',
  '||',
])

const exactly = (klass: ClassInfo): StaticType => ({ klass, exact: true, isClass: false })
const atLeast = (klass: ClassInfo | null): StaticType | null =>
  klass === null ? null : { klass, exact: false, isClass: false }

/** The static type of an expression; null where unknown. */
export function staticType(expression: Expression, scope: CheckScope): StaticType | null {
  switch (expression.kind) {
    case 'literal':
      return expression.value === null ? null : exactly(classOf(expression.value))
    case 'gstring':
      return exactly(GStringImplClass)
    case 'list':
      return exactly(ArrayListClass)
    case 'map':
      return exactly(LinkedHashMapClass)
    case 'range':
      return atLeast(RangeInterface)
    case 'closure':
    case 'methodPointer':
      return exactly(ClosureClass)
    case 'bracketed':
      return staticType(expression.inner, scope)
    case 'variable':
      return scope.variableType(expression)
    case 'this':
      return scope.thisType()
    case 'new':
      return newType(expression, scope)
    case 'cast':
      return atLeast(scope.unit.findType(expression.type))
    case 'instanceof':
      return exactly(BooleanClass)
    case 'unary':
      return unaryType(expression, scope)
    case 'binary':
      return binaryType(expression.operator, expression.left, scope)
    case 'property':
      return propertyType(expression, scope)
    case 'call':
      return callType(expression, scope)
    case 'assign':
      return expression.operator === '' ? staticType(expression.value, scope) : null
    default:
      return null
  }
}

function newType({ type, body }: Extract<Expression, { kind: 'new' }>, { unit }: CheckScope): StaticType | null {
  const klass = unit.findType(type)
  return klass === null || body !== null ? null : exactly(klass)
}

function unaryType(
  { operator, operand }: Extract<Expression, { kind: 'unary' }>,
  scope: CheckScope,
): StaticType | null {
  if (operator === '!') return exactly(BooleanClass)
  const type = staticType(operand, scope)
  return operator === '~' && type?.klass === StringClass ? exactly(PatternClass) : null
}

function binaryType(operator: string, left: Expression, scope: CheckScope): StaticType | null {
  if (COMPARISONS.has(operator)) return exactly(BooleanClass)
  if (operator === '=~') return exactly(MatcherClass)
  return operator === '+' && staticType(left, scope)?.klass === StringClass ? exactly(StringClass) : null
}

function propertyType(node: Extract<Expression, { kind: 'property' }>, scope: CheckScope): StaticType | null {
  const named = scope.classNamed(node)
  if (named !== null) return { klass: named, exact: true, isClass: true }
  if (typeof node.name !== 'string' || node.access === 'spread' || node.access === 'spreadField') return null
  const target = staticType(node.target, scope)
  return target === null ? null : typeNamed(scope.members.propertyType(target, node.name))
}

function callType(node: Extract<Expression, { kind: 'call' }>, scope: CheckScope): StaticType | null {
  if (typeof node.name !== 'string' || node.access === 'spread' || node.target === null) return null
  const target = staticType(node.target, scope)
  return target === null ? null : typeNamed(scope.members.returnType(target, node.name))
}

/** The class that a table names as a type. */
function typeNamed(name: string | null): StaticType | null {
  if (name === null || name === 'Object' || name === 'void') return null
  const klass = libraryClass(BOX_NAMES.get(name) ?? name) ?? null
  return klass === null || klass.kind === 'primitive' ? null : atLeast(klass)
}
