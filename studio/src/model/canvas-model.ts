import { getNodeValue, type JSONPath } from 'jsonc-parser'
import type { InheritedObject } from '../api/scope.ts'
import { isExactNumber } from './exact-values.ts'
import { ofLatestTexts } from './latest-texts.ts'
import { treeOf } from './route-document.ts'

/** An object of a route, or the name of one. */
export interface CanvasNode {
  readonly id: string
  readonly path: JSONPath
  readonly role: 'entry' | 'filter' | 'handler' | 'object' | 'inherited'
  /** Name of the object; of a reference, the name that it refers to. */
  readonly name: string | null
  /** Null for a reference. */
  readonly type: string | null
  readonly decorators: readonly string[]
  /** The document that declares an inherited object. */
  readonly origin?: string | null
  /** Texts of its configuration, some of which may name other objects. */
  readonly names: readonly string[]
  /** Sequences of objects inside, each with the label of its edge. */
  readonly branches: readonly Branch[]
}

/** Objects that a request passes one after the other. */
export interface Branch {
  readonly label: string
  readonly nodes: readonly CanvasNode[]
}

/** The picture of a route: its flow, and the objects of its heap and of enclosing ones beside it. */
export interface CanvasModel {
  readonly flow: readonly CanvasNode[]
  readonly heap: readonly CanvasNode[]
  /** Objects of the heaps around the route that it uses. They can not be changed in the route. */
  readonly inherited: readonly CanvasNode[]
}

type Json = Readonly<Record<string, unknown>>

/** Fields of every object beside its decorators. */
const PLAIN_FIELDS = new Set(['name', 'type', 'config', 'comment', 'comments', '$schema'])

const NOTHING: readonly InheritedObject[] = []

/** Reads a text as a picture. It is derived from the text, which stays as it is, and the objects that the route inherits. */
export function canvasModel(text: string, inherited = NOTHING): CanvasModel {
  const parts = partsOf(text)
  if (parts === null) return { flow: [], heap: [], inherited: [] }
  const { route, sequence, heap } = parts
  const condition = route['condition']
  const entry: CanvasNode = {
    id: '/condition',
    path: ['condition'],
    role: 'entry',
    name:
      condition === undefined ? 'every request' : typeof condition === 'string' ? condition : JSON.stringify(condition),
    type: 'condition',
    decorators: routeDecorators(route, inherited),
    names: [],
    branches: [],
  }
  const flow = [entry, ...sequence]
  return { flow, heap, inherited: usedObjects({ flow, heap }, inherited) }
}

/** What the text alone has of a picture; null for a text that is no route. */
const partsOf = ofLatestTexts((text) => {
  const tree = treeOf(text)
  const route: unknown = tree === null ? null : getNodeValue(tree)
  if (!isObject(route)) return null
  const declared = Array.isArray(route['heap']) ? route['heap'] : []
  const heap = declared.flatMap((value, index) => nodesOf(value, ['heap', index], 'object'))
  return { route, sequence: sequenceOf(route['handler'], ['handler'], 'handler'), heap }
})

/** Decorators of the route itself: keys that name one of its heap or of an enclosing one. */
function routeDecorators(route: Json, inherited: readonly InheritedObject[]): readonly string[] {
  const heap: readonly unknown[] = Array.isArray(route['heap']) ? route['heap'] : []
  const own = heap.flatMap((one) => (isObject(one) && /Decorator$/.test(String(one['type'])) ? [one['name']] : []))
  const names = new Set([...own, ...inherited.flatMap(({ name, kind }) => (kind === 'Decorator' ? [name] : []))])
  return Object.keys(route).filter((key) => names.has(key))
}

/** Inherited objects that the route refers to. Predefined ones are declared nowhere, so their references stand for them. */
function usedObjects(
  route: Pick<CanvasModel, 'flow' | 'heap'>,
  inherited: readonly InheritedObject[],
): readonly CanvasNode[] {
  const nodes = allNodes(route)
  const used = new Set(nodes.flatMap(({ name, type, names }) => (type === null ? [name ?? ''] : names)))
  const declared = new Set(nodes.flatMap(({ name, type }) => (type === null ? [] : [name])))
  return inherited
    .filter(({ name, from }) => from !== null && used.has(name) && !declared.has(name))
    .map(({ name, type, from }) => ({
      id: `inherited ${name}`,
      path: [],
      role: 'inherited',
      name,
      type,
      decorators: [],
      origin: from,
      names: [],
      branches: [],
    }))
}

/** A Chain is not an object of the picture but the order of those in it. */
function sequenceOf(value: unknown, path: JSONPath, role: 'filter' | 'handler'): CanvasNode[] {
  if (!isObject(value) || value['type'] !== 'Chain' || !isObject(value['config']) || hasDecorators(value)) {
    return nodesOf(value, path, role)
  }
  return chainOf(value['config'], path)
}

function chainOf(config: Json, path: JSONPath): CanvasNode[] {
  const filters = Array.isArray(config['filters']) ? config['filters'] : []
  return [
    ...filters.flatMap((filter, index) => nodesOf(filter, [...path, 'config', 'filters', index], 'filter')),
    ...sequenceOf(config['handler'], [...path, 'config', 'handler'], 'handler'),
  ]
}

function nodesOf(value: unknown, path: JSONPath, role: CanvasNode['role']): CanvasNode[] {
  const id = pointerOf(path)
  if (typeof value === 'string')
    return [{ id, path, role, name: value, type: null, decorators: [], names: [], branches: [] }]
  if (!isObject(value)) return []
  const { name, type, config } = value
  return [
    {
      id,
      path,
      role,
      name: typeof name === 'string' ? name : null,
      type: typeof type === 'string' ? type : '(no type)',
      decorators: Object.keys(value).filter((key) => isDecorator(key)),
      names: isObject(config) ? namesOf(String(type), config) : [],
      branches: isObject(config) ? branchesOf(String(type), config, path) : [],
    },
  ]
}

/** What is inside an object: of known shapes their branches, of all others every object declared in place. */
function branchesOf(type: string, config: Json, path: JSONPath): Branch[] {
  const at = (...steps: JSONPath) => [...path, 'config', ...steps]
  if (type === 'Chain') return [{ label: 'chain', nodes: chainOf(config, path) }]
  if (type === 'ChainOfFilters') {
    const filters = Array.isArray(config['filters']) ? config['filters'] : []
    const nodes = filters.flatMap((filter, index) => nodesOf(filter, at('filters', index), 'filter'))
    return [{ label: 'filters', nodes }]
  }
  const branches: Branch[] = []
  for (const [field, value] of Object.entries(config)) collect(value, at(field), field, branches)
  return branches
}

/** Texts of a configuration outside of the objects that are nodes of their own. */
function namesOf(type: string, config: Json): readonly string[] {
  if (type === 'Chain' || type === 'ChainOfFilters') return []
  const names = new Set<string>()
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'string') names.add(value)
    else if (Array.isArray(value)) for (const item of value) visit(item, depth)
    else if (isObject(value) && typeof value['type'] !== 'string') {
      for (const [field, item] of Object.entries(value)) {
        // A handler of a branch is a node, also where it is a name.
        if (field !== 'handler' || depth === 0 || typeof item !== 'string') visit(item, depth + 1)
      }
    }
  }
  visit(config, 0)
  return [...names]
}

function collect(value: unknown, path: JSONPath, label: string, branches: Branch[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, [...path, index], `${label} ${index + 1}`, branches)
    return
  }
  if (!isObject(value)) return
  if (typeof value['type'] === 'string') {
    branches.push({ label, nodes: sequenceOf(value, path, 'handler') })
    return
  }
  const condition = value['condition']
  for (const [field, item] of Object.entries(value)) {
    const isHandler = field === 'handler' && typeof item === 'string'
    const text = typeof condition === 'string' ? condition : label
    if (isHandler) branches.push({ label: text, nodes: nodesOf(item, [...path, field], 'handler') })
    else collect(item, [...path, field], field === 'handler' ? text : `${label} ${field}`, branches)
  }
}

function hasDecorators(value: Json): boolean {
  return Object.keys(value).some(isDecorator) || typeof value['name'] === 'string'
}

/** Keys of an object that are neither its own nor a comment name decorators. */
function isDecorator(key: string): boolean {
  return !PLAIN_FIELDS.has(key) && !key.startsWith('_') && !key.startsWith('//')
}

/** Every object of a picture. */
export function allNodes({ flow, heap }: Pick<CanvasModel, 'flow' | 'heap'>): readonly CanvasNode[] {
  const below = (node: CanvasNode): CanvasNode[] => [
    node,
    ...node.branches.flatMap(({ nodes }) => nodes.flatMap(below)),
  ]
  return [...flow, ...heap].flatMap(below)
}

/** Ids of references to objects that the route does not declare. */
export function inheritedIds(model: CanvasModel): ReadonlySet<string> {
  const nodes = allNodes(model)
  const declared = new Set(nodes.flatMap(({ name, type }) => (type === null ? [] : [name])))
  return new Set(nodes.flatMap(({ id, name, type }) => (type === null && !declared.has(name) ? [id] : [])))
}

/** The innermost object around a path. */
export function nodeAround(model: CanvasModel, path: JSONPath): CanvasNode | null {
  const pointer = pointerOf(path)
  const around = allNodes(model).filter(({ id }) => pointer === id || pointer.startsWith(`${id}/`))
  return around.reduce<CanvasNode | null>(
    (best, node) => (best === null || node.id.length > best.id.length ? node : best),
    null,
  )
}

/** A path as JSON pointer (RFC 6901). */
export function pointerOf(path: JSONPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}
