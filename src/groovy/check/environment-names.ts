import { pathOf } from '../compile/members.ts'
import type { CallNode, ScriptNode } from '../syntax/ast.ts'
import { walk } from '../syntax/walk.ts'

/** The literal names that a script passes to `System.getenv`, also by a static import. */
export function environmentNames(script: ScriptNode): readonly string[] {
  const names = new Set<string>()
  walk(script, (part) => {
    if (part.kind !== 'call') return
    const { target, name, args } = part as CallNode
    const [only] = args
    if (name !== 'getenv' || args.length !== 1 || only?.kind !== 'literal' || typeof only.value !== 'string') return
    if (target === null || /^(?:java\.lang\.)?System$/.test(pathOf(target) ?? '')) names.add(only.value)
  })
  return [...names]
}
