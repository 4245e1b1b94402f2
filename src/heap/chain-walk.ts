import { FilterKind, HandlerKind } from '#contracts'
import { appendPointer, parsePointer } from '#json'
import { documentPointer, type Kind, type Reference, referencesIn, type TypeDefinition } from '#schema'
import { baseUriBeside, type Declaration, type Decoration } from './declaration.ts'
import type { Heap } from './heap.ts'

/** Fields with the handler that gets the client's request; handlers in other fields are for internal requests. */
const PASSED_ON: ReadonlySet<string> = new Set(['handler', 'delegate', 'defaultHandler'])

/** Chains of more steps, counted once for each state in which a request reaches them, are walked up to here. */
const MOST_STEPS = 10_000

/** What a request has when it reaches an object. */
interface Passed {
  /** Whether its target server is set, or may be: objects that may set it, such as scripts, count as setting it. */
  readonly isTargetSet: boolean
  /** Types of the filters before, in this document and its parents. */
  readonly types: ReadonlySet<TypeDefinition>
  /** Names of the contexts that filters have added. */
  readonly contexts: ReadonlySet<string>
  /** The same for requests that have passed filters of the same types. */
  readonly state: string
}

/** A filter or handler that a request can reach. */
export interface ChainStep {
  readonly declaration: Declaration
  /** The heap in which its names are looked up. */
  readonly heap: Heap
  /** Pointer in the walked document of its declaration; for an object of a parent, of the reference to it. */
  readonly pointer: string
  readonly before: Passed
  /** What it has behind the filters in the object. */
  inside: Passed
}

/** The filters and handlers that requests to a handler of a document can reach, in the order of processing. */
export function chainWalk(
  main: Reference,
  pointer: string,
  decorations: readonly Decoration[],
  document: Heap,
): readonly ChainStep[] {
  const walk = new Walk(document)
  const types = document.parent?.typesAround ?? NO_TYPES
  const isTargetSet =
    (document.parent?.maySetTarget ?? false) || decorations.some(({ decorator }) => setsTarget(document, decorator))
  walk.handler(main, pointer, document, { isTargetSet, types, contexts: providedBy(types), state: '' })
  return walk.steps
}

const NO_TYPES: ReadonlySet<TypeDefinition> = new Set()

/** Names of the contexts that objects of types add; the types of a parent are those of all its routes. */
const provided = new WeakMap<ReadonlySet<TypeDefinition>, ReadonlySet<string>>()

function providedBy(types: ReadonlySet<TypeDefinition>): ReadonlySet<string> {
  const known = provided.get(types) ?? new Set([...types].flatMap(({ provides }) => namesOf(provides)))
  provided.set(types, known)
  return known
}

interface Place {
  readonly declaration: Declaration
  readonly heap: Heap
}

class Walk {
  readonly steps: ChainStep[] = []
  readonly #document: Heap
  /** What requests have behind the inner filters of an object, by their state before it. */
  readonly #seen = new Map<Declaration, Map<string, Passed>>()

  constructor(document: Heap) {
    this.#document = document
  }

  handler(reference: Reference, pointer: string, heap: Heap, before: Passed): void {
    const place = placeOf(reference, heap)
    if (place === null) return
    this.#enter(place, pointer, isTargetSetAt(place) ? { ...before, isTargetSet: true } : before)
  }

  /** What requests have behind a filter. */
  #filter(reference: Reference, pointer: string, heap: Heap, before: Passed): Passed {
    const place = placeOf(reference, heap)
    if (place === null) return before
    const { definition } = place.declaration
    const inside = this.#enter(place, pointer, before)
    const { types, contexts, state } = inside
    const isNew = !types.has(definition)
    return {
      isTargetSet: inside.isTargetSet || definition.target === 'sets' || isTargetSetAt(place),
      types: isNew ? new Set([...types, definition]) : types,
      contexts: withNames(contexts, definition.provides),
      state: isNew ? [...state.split(','), definition.name].sort().join() : state,
    }
  }

  /** Walks an object once for each state in which requests reach it. */
  #enter(place: Place, reference: string, before: Passed): Passed {
    const { declaration, heap } = place
    const known = this.#seen.get(declaration) ?? new Map<string, Passed>()
    this.#seen.set(declaration, known)
    const state = `${before.isTargetSet} ${before.state}`
    const found = known.get(state)
    if (found !== undefined || this.steps.length >= MOST_STEPS) return found ?? before
    known.set(state, before)
    const isOwn = heap === this.#document && declaration.pointer !== ''
    const step = { declaration, heap, pointer: isOwn ? declaration.pointer : reference, before, inside: before }
    this.steps.push(step)
    step.inside = this.#inside(place, reference, before)
    known.set(state, step.inside)
    return step.inside
  }

  #inside({ declaration, heap }: Place, reference: string, before: Passed): Passed {
    const { config, definition, pointer } = declaration
    let passed = before
    for (const [inner, at] of referencesIn(config, '')) {
      const from = heap === this.#document ? appendPointer(pointer, 'config') + documentPointer(config, at) : reference
      const field = (parsePointer(at) ?? []).at(-1) ?? ''
      if (isOf(inner, FilterKind as Kind)) passed = this.#filter(inner, from, heap, passed)
      else if (!isOf(inner, HandlerKind as Kind)) continue
      else if (Object.hasOwn(definition.diverts, field)) {
        const contexts = withNames(passed.contexts, definition.diverts[field] ?? [])
        this.handler(inner, from, heap, { ...passed, contexts })
      } else if (definition.kind === (HandlerKind as Kind) && PASSED_ON.has(field)) {
        const isTargetSet = passed.isTargetSet || baseUriBeside(config, at) !== undefined
        this.handler(inner, from, heap, { ...passed, isTargetSet })
      }
    }
    return passed
  }
}

/** The declaration of a reference, and the heap of its names; null for an undeclared name. */
export function placeOf({ target, declared }: Reference, heap: Heap): Place | null {
  if (typeof target === 'string') return heap.declarationOf(target)
  return declared === null ? null : { declaration: declared as Declaration, heap }
}

function isTargetSetAt({ declaration, heap }: Place): boolean {
  return declaration.decorations.some(({ decorator }) => setsTarget(heap, decorator))
}

function setsTarget(heap: Heap, decorator: string): boolean {
  return heap.decoding.decoratorType(decorator)?.target === 'sets'
}

function withNames(names: ReadonlySet<string>, contexts: TypeDefinition['provides']): ReadonlySet<string> {
  return contexts.length === 0 ? names : new Set([...names, ...namesOf(contexts)])
}

export function namesOf(contexts: TypeDefinition['provides']): string[] {
  return contexts.map(({ name }) => name)
}

function isOf({ kinds }: Reference, kind: Kind): boolean {
  return kinds.includes(kind)
}
