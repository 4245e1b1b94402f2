import { getNodeValue, type JSONPath } from 'jsonc-parser'
import { treeOf } from './route-document.ts'

/** An object of a route, or the name of one. */
export interface CanvasNode {
  readonly id: string
  readonly path: JSONPath
  readonly role: 'entry' | 'filter' | 'handler' | 'object'
  /** Name of the object; of a reference, the name that it refers to. */
  readonly name: string | null
  /** Null for a reference. */
  readonly type: string | null
  readonly decorators: readonly string[]
  /** Sequences of objects inside, each with the label of its edge. */
  readonly branches: readonly Branch[]
}

/** Objects that a request passes one after the other. */
export interface Branch {
  readonly label: string
  readonly nodes: readonly CanvasNode[]
}

/** The picture of a route: its flow, and the objects of its heap beside it. */
export interface CanvasModel {
  readonly flow: readonly CanvasNode[]
  readonly heap: readonly CanvasNode[]
}

type Json = Readonly<Record<string, unknown>>

/** Fields of every object beside its decorators. */
const PLAIN_FIELDS = new Set(['name', 'type', 'config', 'comment'])

/** Reads a text as a picture. It is derived from the text alone, which stays as it is. */
export function canvasModel(text: string): CanvasModel {
  const tree = treeOf(text)
  const route: unknown = tree === null ? null : getNodeValue(tree)
  if (!isObject(route)) return { flow: [], heap: [] }
  const condition = route['condition']
  const entry: CanvasNode = {
    id: '/condition',
    path: ['condition'],
    role: 'entry',
    name:
      condition === undefined ? 'every request' : typeof condition === 'string' ? condition : JSON.stringify(condition),
    type: 'condition',
    decorators: [],
    branches: [],
  }
  const heap = Array.isArray(route['heap']) ? route['heap'] : []
  return {
    flow: [entry, ...sequenceOf(route['handler'], ['handler'], 'handler')],
    heap: heap.flatMap((value, index) => nodesOf(value, ['heap', index], 'object')),
  }
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
  if (typeof value === 'string') return [{ id, path, role, name: value, type: null, decorators: [], branches: [] }]
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
    const text = typeof condition === 'string' ? condition : `${label} ${field}`
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
export function allNodes({ flow, heap }: CanvasModel): readonly CanvasNode[] {
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
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
