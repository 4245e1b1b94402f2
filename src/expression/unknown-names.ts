import { literalKey, type Node, visit } from './ast.ts'
import { exposureOf, getterOf, methodOf } from './exposed.ts'
import type { Expression } from './expression.ts'

/** A name of an expression that no request can give a value. */
interface UnknownName {
  /** The name, or the member. */
  readonly name: string
  /** For a member: the path of its object, such as `request.uri`. */
  readonly of: string | null
  /** The names that exist in its place. */
  readonly known: readonly string[]
}

/** Finds names that are not bound, and members that the objects in `samples`, by their names, do not have. */
export function unknownNames(
  { segments }: Pick<Expression, 'segments'>,
  bound: ReadonlySet<string>,
  samples: Readonly<Record<string, object>>,
): UnknownName[] {
  const found = new Map<string, UnknownName>()
  const add = (unknown: UnknownName) => void found.set(`${unknown.of}.${unknown.name}`, unknown)
  for (const segment of segments) {
    if (typeof segment === 'string') continue
    visit(segment, (node) => {
      if (node.type === 'name' && !bound.has(node.name)) add({ name: node.name, of: null, known: [...bound] })
      if (node.type === 'member') sampleOf(node, samples, add)
    })
  }
  return [...found.values()]
}

/** The object of a path such as `request.uri`; null where it depends on the request. */
function sampleOf(
  node: Node,
  samples: Readonly<Record<string, object>>,
  add: (unknown: UnknownName) => void,
): { readonly path: string; readonly value: object } | null {
  if (node.type === 'name') {
    const value = Object.hasOwn(samples, node.name) ? samples[node.name] : undefined
    return value === undefined ? null : { path: node.name, value }
  }
  const key = literalKey(node)
  const target = node.type === 'member' ? sampleOf(node.target, samples, add) : null
  if (target === null || typeof key !== 'string') return null
  const exposure = exposureOf(target.value)
  if (exposure === undefined || exposure.index !== undefined) return null
  const getter = getterOf(exposure, key)
  if (getter === undefined) {
    const known = Object.keys(exposure.get ?? {})
    if (methodOf(exposure, key) === undefined) add({ name: key, of: target.path, known })
    return null
  }
  const value = getter(target.value)
  return typeof value === 'object' && value !== null ? { path: `${target.path}.${key}`, value } : null
}

/** The names of the contexts that an expression reads, such as `oauth2` for `contexts.oauth2`. */
export function contextsRead({ source, segments }: Pick<Expression, 'source' | 'segments'>): string[] {
  if (!source.includes('contexts')) return []
  const found = new Set<string>()
  for (const segment of segments) {
    if (typeof segment === 'string') continue
    visit(segment, (node) => {
      if (node.type !== 'member' || node.target.type !== 'name' || node.target.name !== 'contexts') return
      const key = literalKey(node)
      if (typeof key === 'string') found.add(key)
    })
  }
  return [...found]
}
