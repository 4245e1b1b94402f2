import { type syntax, textOf } from '@identity-gateway/groovy'
import { assignmentText, callText, MISSING_CLASSES, propertyText } from './migrate-calls.ts'
import { functionText, type Migration, quoted } from './migration.ts'

type Expression = syntax.Expression

const OPERATORS: Readonly<Record<string, string>> = { '==': '===', '!=': '!==', '===': '===', '!==': '!==' }

/** An expression in JavaScript. */
export function expressionText(node: Expression, migration: Migration): string {
  const write = (each: Expression): string => expressionText(each, migration)
  const list = (items: readonly Expression[]): string[] => items.map(write)
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? quoted(node.value) : textOf(node.value)
    case 'gstring':
      return gstringText(node, migration)
    case 'list':
    case 'arrayItems':
      return `[${list(node.items).join(', ')}]`
    case 'map':
      return mapText(node, migration)
    case 'range':
      return rangeText(node, migration)
    case 'spread':
      return `...${write(node.value)}`
    case 'variable':
      return node.name
    case 'this':
    case 'super':
      return node.kind
    case 'bracketed':
      return `(${write(node.inner)})`
    case 'property':
      return propertyNodeText(node, migration)
    case 'index':
      return `${write(node.target)}${node.safe ? '?.' : ''}[${list(node.indexes).join(', ')}]`
    case 'call':
      return callNodeText(node, migration)
    case 'callValue':
      return `${write(node.callee)}(${list(node.args).join(', ')})`
    case 'new':
      if (node.body !== null) migration.remark(node.position, 'an anonymous class: write a function or an object')
      return newText(node, list(node.args), migration)
    case 'unary':
      return `${node.operator}${write(node.operand)}`
    case 'step':
      return node.prefix ? node.operator + write(node.operand) : write(node.operand) + node.operator
    case 'binary':
      return binaryText(node, migration)
    case 'ternary':
      if (node.yes === null) return `(${write(node.condition)} || ${write(node.no)})`
      return `(${write(node.condition)} ? ${write(node.yes)} : ${write(node.no)})`
    case 'assign':
      return assignText(node, migration)
    case 'multipleAssign':
      return `[${list(node.targets).join(', ')}] = ${write(node.value)}`
    case 'cast':
      return castText(node, migration)
    case 'instanceof':
      migration.remark(node.operatorPosition, `instanceof ${node.type.name}: JavaScript has other types`)
      return `${node.negated ? '!' : ''}(${write(node.value)} instanceof ${node.type.name})`
    case 'closure': {
      const parameters = node.parameters?.map(({ name }) => name).join(', ') ?? 'it'
      return functionText(parameters, migration.block(node.body, migration, true))
    }
    default:
      migration.remark(node.position, 'this is to be written by hand')
      return `undefined /* ${node.kind} */`
  }
}

function gstringText({ strings, values }: syntax.GStringNode, migration: Migration): string {
  const text = (part: string): string => part.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')
  return `\`${strings
    .map((part, at) => {
      const value = values[at]
      return text(part) + (value === undefined ? '' : `\${${expressionText(value, migration)}}`)
    })
    .join('')}\``
}

function mapText({ items }: syntax.MapNode, migration: Migration): string {
  if (items.length === 0) return '{}'
  const entries = items.map(({ key, value }) => {
    const written = expressionText(value, migration)
    if (key === null) return `...${written}`
    if (key.kind === 'literal' && typeof key.value === 'string') {
      return `${/^[A-Za-z_$][\w$]*$/.test(key.value) ? key.value : quoted(key.value)}: ${written}`
    }
    return `[${expressionText(key, migration)}]: ${written}`
  })
  return `{ ${entries.join(', ')} }`
}

function rangeText(node: syntax.RangeNode, migration: Migration): string {
  const [from, to] = [expressionText(node.from, migration), expressionText(node.to, migration)]
  const extra = node.skipTo ? '' : ' + 1'
  return `Array.from({ length: ${to} - ${from}${extra} }, (_, at) => ${from} + at)`
}

function newText({ type }: syntax.NewNode, args: readonly string[], migration: Migration): string {
  const name = type.name.split('.').at(-1) ?? ''
  const replacement = MISSING_CLASSES.get(name)
  if (replacement !== undefined) migration.remark(type.position, `${name} is a class of Groovy alone: ${replacement}`)
  return `new ${name}(${args.join(', ')})`
}

function propertyNodeText(node: syntax.PropertyNode, migration: Migration): string {
  const target = expressionText(node.target, migration)
  if (typeof node.name !== 'string') return `${target}[${expressionText(node.name, migration)}]`
  if (node.access === 'spread') return `${target}.map((each) => ${propertyText('each', node.name, false)})`
  // A qualified class name: the classes of scripts are in scope without package.
  if (/^(?:org|java|groovy|com)(?:\.\w+)*$/.test(target) && /^[a-z]/.test(node.name)) return `${target}.${node.name}`
  if (/^(?:org|java|groovy|com)(?:\.[a-z]\w*)*$/.test(target)) return node.name
  if (node.name === 'class') migration.remark(node.namePosition, 'JavaScript has no class values like this')
  return propertyText(target, node.name, node.access === 'safe')
}

function callNodeText(node: syntax.CallNode, migration: Migration): string {
  const args = node.args.map((each) => expressionText(each, migration))
  if (typeof node.name !== 'string') {
    migration.remark(node.namePosition, 'a method whose name is computed')
    return `undefined /* ${node.kind} */`
  }
  const { name } = node
  if (node.target === null) {
    if (name === 'println' || name === 'print') return `logger.info(${args.join(', ')})`
    return migration.methods.has(name) ? `(await ${name}(${args.join(', ')}))` : `${name}(${args.join(', ')})`
  }
  const target = expressionText(node.target, migration)
  if (node.access === 'spread') return `${target}.map((each) => ${callText(migration, node, 'each', name, args)})`
  return callText(migration, node, target, name, args)
}

function binaryText(node: syntax.BinaryNode, migration: Migration): string {
  const [left, right] = [expressionText(node.left, migration), expressionText(node.right, migration)]
  switch (node.operator) {
    case '==':
    case '!=':
      if (left === 'null' || right === 'null') return `${left} ${node.operator} ${right}`
      return `${left} ${OPERATORS[node.operator]} ${right}`
    case '=~':
      migration.remark(node.operatorPosition, 'a Matcher: look at what is done with the match')
      return `new RegExp(${right}).exec(${left})`
    case '==~':
      return `new RegExp('^(?:' + ${right} + ')$').test(${left})`
    case 'in':
      return `${right}.includes(${left})`
    case '!in':
      return `!${right}.includes(${left})`
    case '<<':
      return `${left}.push(${right})`
    case '<=>':
      migration.remark(node.operatorPosition, 'a comparison of three outcomes')
      return `(${left} < ${right} ? -1 : ${left} > ${right} ? 1 : 0)`
    case '/':
      migration.remark(node.operatorPosition, 'numbers of JavaScript are doubles')
      return `${left} / ${right}`
    default:
      return `${left} ${OPERATORS[node.operator] ?? node.operator} ${right}`
  }
}

function assignText(node: syntax.AssignNode, migration: Migration): string {
  const [target, value] = [expressionText(node.target, migration), expressionText(node.value, migration)]
  if (node.operator === '') return assignmentText(target, value)
  return node.operator === '?' ? `${target} ??= ${value}` : `${target} ${node.operator}= ${value}`
}

const CASTS: Readonly<Record<string, string>> = {
  String: 'String',
  int: 'Number',
  Integer: 'Number',
  long: 'Number',
  Long: 'Number',
  double: 'Number',
  boolean: 'Boolean',
  Boolean: 'Boolean',
  Set: 'new Set',
}

function castText({ type, value, operatorPosition }: syntax.CastNode, migration: Migration): string {
  const text = expressionText(value, migration)
  const cast = Object.hasOwn(CASTS, type.name) && type.dimensions === 0 ? CASTS[type.name] : undefined
  if (cast !== undefined) return `${cast}(${text})`
  if (!/^(?:List|Map|Object|Response|Request|Closure|ArrayList)$/.test(type.name)) {
    migration.remark(operatorPosition, `a cast to ${type.name} was left out`)
  }
  return text
}
