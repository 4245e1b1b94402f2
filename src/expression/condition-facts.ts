import { commonPrefix, literalPrefix, literalRegex } from '@identity-gateway/regex'
import { literalKey, type Node } from './ast.ts'
import { foldConstants } from './constant-folding.ts'
import type { Expression } from './expression.ts'

/** Necessary conditions on a request for a condition to be true; an index may skip routes whose facts do not match. */
export interface ConditionFacts {
  readonly pathPrefix?: string
  readonly pathEquals?: string
  readonly method?: string
  readonly host?: string
}

/** Whether a condition is true for every request. */
export function isAlwaysTrue({ constant, segments, evaluate }: Expression): boolean {
  if (constant) return evaluate({ lookup: () => undefined }) === true
  const [node] = segments
  if (segments.length !== 1 || typeof node !== 'object') return false
  const folded = foldConstants(node)
  return folded.type === 'literal' && folded.value === true
}

type Subject = 'path' | 'method' | 'host'

const searching: ReadonlySet<string> = new Set(['find', 'matches'])
const none: ConditionFacts = {}

/** Facts about path, method and host that a condition implies; null if it implies none. */
export function conditionFacts(expression: Expression): ConditionFacts | null {
  const [node] = expression.segments
  if (expression.segments.length !== 1 || typeof node !== 'object') return null
  const facts = factsOf(node)
  return Object.keys(facts).length === 0 ? null : facts
}

function factsOf(node: Node): ConditionFacts {
  if (node.type === 'binary') {
    if (node.operator === '&&') return all(factsOf(node.left), factsOf(node.right))
    if (node.operator === '||') return either(factsOf(node.left), factsOf(node.right))
    if (node.operator === '==') return equality(node.left, node.right)
    return none
  }
  if (node.type === 'method') return methodFacts(node)
  return node.type === 'call' ? patternFacts(node) : none
}

function equality(left: Node, right: Node): ConditionFacts {
  const subject = subjectOf(left) ?? subjectOf(right)
  const value = textOf(left) ?? textOf(right)
  return subject === null || value === null ? none : equals(subject, value)
}

function equals(subject: Subject, value: string): ConditionFacts {
  if (subject === 'path') return { pathEquals: value, pathPrefix: value }
  return { [subject]: value }
}

function methodFacts({ target, name, args }: Node & { type: 'method' }): ConditionFacts {
  const subject = subjectOf(target)
  const value = args[0] === undefined || args.length !== 1 ? null : textOf(args[0])
  const literal = textOf(target)
  const other = args[0] === undefined ? null : subjectOf(args[0])
  if (name === 'equals' && literal !== null && other !== null) return equals(other, literal)
  if (subject === null || value === null) return none
  if (name === 'equals') return equals(subject, value)
  if (name === 'startsWith' && subject === 'path') return prefix(value)
  return name === 'matches' ? regexFacts(subject, value, 'whole') : none
}

function patternFacts({ name, args }: Node & { type: 'call' }): ConditionFacts {
  const [text, regex] = args
  if (text === undefined || regex === undefined) return none
  const subject = subjectOf(text)
  const pattern = textOf(regex)
  if (subject === null || pattern === null) return none
  if (searching.has(name)) return regexFacts(subject, pattern, 'found')
  return name === 'matchesWithRegex' ? regexFacts(subject, pattern, 'whole') : none
}

function regexFacts(subject: Subject, pattern: string, anchoring: 'found' | 'whole'): ConditionFacts {
  const found = literalPrefix(literalRegex(pattern).parsed, anchoring)
  if (found === null) return none
  if (found.exact) return equals(subject, found.text)
  return subject === 'path' ? prefix(found.text) : none
}

const prefix = (text: string): ConditionFacts => (text === '' ? none : { pathPrefix: text })

/** For `and`: the facts of both sides; of two prefixes the longer one. */
function all(left: ConditionFacts, right: ConditionFacts): ConditionFacts {
  const longer = (left.pathPrefix ?? '').length >= (right.pathPrefix ?? '').length ? left : right
  const path = longer.pathPrefix === undefined ? none : { pathPrefix: longer.pathPrefix }
  return { ...right, ...left, ...path }
}

/** For `or`: only the common facts. */
function either(left: ConditionFacts, right: ConditionFacts): ConditionFacts {
  const shared: { -readonly [K in keyof ConditionFacts]: ConditionFacts[K] } = {
    ...prefix(commonPrefix(left.pathPrefix ?? '', right.pathPrefix ?? '')),
  }
  for (const key of ['pathEquals', 'method', 'host'] as const) {
    const value = left[key]
    if (value !== undefined && value === right[key]) shared[key] = value
  }
  return shared
}

const textOf = (node: Node): string | null =>
  node.type === 'literal' && typeof node.value === 'string' ? node.value : null

function subjectOf(node: Node): Subject | null {
  switch (pathOf(node)) {
    case 'request.method':
      return 'method'
    case 'request.uri.path':
      return 'path'
    case 'request.uri.host':
      return 'host'
    default:
      return null
  }
}

/** A chain of literal properties as `a.b.c`; null for other nodes. */
export function pathOf(node: Node): string | null {
  if (node.type === 'name') return node.name
  const key = literalKey(node)
  if (node.type !== 'member' || key === undefined) return null
  const target = pathOf(node.target)
  return target === null ? null : `${target}.${key}`
}
