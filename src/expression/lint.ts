import { type Node, visit } from './ast.ts'
import { pathOf } from './condition-facts.ts'
import type { Expression } from './expression.ts'
import { compileRegex } from './regex/matcher.ts'
import { isAnchored } from './regex/prefix.ts'

const hostPath = /^(?:exchange\.)?request\.(?:uri\.(?:host|authority|rawAuthority)|headers\.host(?:\.0)?)$/i

/** Finds what is allowed but probably not meant, as sentences for a warning. */
export function lint(expression: Expression): string[] {
  const warnings: string[] = []
  for (const segment of expression.segments) {
    if (typeof segment === 'string') continue
    visit(segment, (node) => {
      const warning = unanchoredHost(node)
      if (warning !== null) warnings.push(warning)
    })
  }
  return warnings
}

/** A search for a host name also finds it inside `example.com.evil` and `evil-example.com`. */
function unanchoredHost(node: Node): string | null {
  if (node.type !== 'call' || (node.name !== 'find' && node.name !== 'matches')) return null
  const [text, regex] = node.args
  if (text === undefined || regex?.type !== 'literal' || typeof regex.value !== 'string') return null
  const path = pathOf(text)
  if (path === null || !hostPath.test(path) || isAnchored(compileRegex(regex.value).parsed)) return null
  return (
    `${node.name}(${path}, ${JSON.stringify(regex.value)}) searches anywhere in the host name, so other hosts match too; ` +
    'bind the pattern with ^ and $, or compare with =='
  )
}
