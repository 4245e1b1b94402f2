import { isAnchored, literalPrefix, literalRegex } from '@identity-gateway/regex'
import { type Node, visit } from './ast.ts'
import { pathOf } from './condition-facts.ts'
import type { Expression } from './expression.ts'

const hostPath = /^(?:exchange\.)?request\.(?:uri\.(?:host|authority|rawAuthority)|headers\.host(?:\.0)?)$/i

const listPath = /^(?:exchange\.)?request\.(?:headers|form|queryParams|cookies)\.[^.]+$/
const uriPath = /^(?:exchange\.)?request\.uri\.path$/
const searching = /^(?:find|findGroups|matches|matchingGroups)$/

/** Warnings about valid but probably unintended expressions. */
export function lint(expression: Expression): string[] {
  const warnings: string[] = []
  for (const segment of expression.segments) {
    if (typeof segment === 'string') continue
    visit(segment, (node) => {
      for (const rule of RULES) {
        const warning = rule(node)
        if (warning !== null) warnings.push(warning)
      }
    })
  }
  return warnings
}

/** A host name pattern without anchors also matches `example.com.evil` and `evil-example.com`. */
function unanchoredHost(node: Node): string | null {
  if (node.type !== 'call' || (node.name !== 'find' && node.name !== 'matches')) return null
  const [text, regex] = node.args
  if (text === undefined || regex?.type !== 'literal' || typeof regex.value !== 'string') return null
  const path = pathOf(text)
  if (path === null || !hostPath.test(path) || isAnchored(literalRegex(regex.value).parsed)) return null
  return (
    `${node.name}(${path}, ${JSON.stringify(regex.value)}) searches anywhere in the host name, so other hosts match too; ` +
    'bind the pattern with ^ and $, or compare with =='
  )
}

/** Paths are normalized before conditions are evaluated: none begins with two slashes. */
function doubleSlash(node: Node): string | null {
  if (node.type !== 'call' || !searching.test(node.name)) return null
  const [text, regex] = node.args
  if (text === undefined || regex?.type !== 'literal' || typeof regex.value !== 'string') return null
  const path = pathOf(text)
  if (path === null || !uriPath.test(path)) return null
  const beginning = literalPrefix(literalRegex(regex.value).parsed, 'found')?.text ?? ''
  if (!beginning.startsWith('//')) return null
  return (
    `${node.name}(${path}, ${JSON.stringify(regex.value)}) is never true: double slashes of a path are merged before it is evaluated; ` +
    'write one slash'
  )
}

/** The text of a list starts with a bracket, so that a pattern anchored to another start never matches. */
function beginningOfList(node: Node): string | null {
  if (node.type !== 'call' || !searching.test(node.name)) return null
  const [text, regex] = node.args
  if (text === undefined || regex?.type !== 'literal' || typeof regex.value !== 'string') return null
  const path = pathOf(text)
  if (path === null || !listPath.test(path)) return null
  const beginning = literalPrefix(literalRegex(regex.value).parsed, 'found')?.text ?? ''
  if (beginning === '' || beginning.startsWith('[')) return null
  return (
    `${node.name}(${path}, ${JSON.stringify(regex.value)}) is never true: ${path} is a list, whose text is "[a, b]"; ` +
    'take one of its values with [0]'
  )
}

const RULES: readonly ((node: Node) => string | null)[] = [unanchoredHost, beginningOfList, doubleSlash]
