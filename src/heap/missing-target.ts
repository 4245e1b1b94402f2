import { FilterKind, HandlerKind } from '#contracts'
import { appendPointer, parsePointer } from '#json'
import { documentPointer, type Kind, type Problem, type Reference, referencesIn } from '#schema'
import { baseUriBeside, type Declaration, type Decoration } from './declaration.ts'
import type { Heap } from './heap.ts'

/** Fields with the handler that gets the client's request; handlers in other fields are for internal requests. */
const PASSED_ON: ReadonlySet<string> = new Set(['handler', 'delegate', 'defaultHandler'])

/**
 * Warnings for handlers that a request can reach although no object has set its target server: it is then sent to its
 * Host, which may be this gateway. Objects that may set it, such as scripts, count as setting it.
 */
export function missingTargets(
  main: Reference,
  pointer: string,
  decorations: readonly Decoration[],
  globals: readonly Decoration[],
  heap: Heap,
): Problem[] {
  if (heap.parent?.maySetTarget || [...decorations, ...globals].some(({ decorator }) => sets(heap, decorator)))
    return []
  const walk = new Walk(heap)
  walk.handler(main, pointer, heap, false)
  return walk.found
}

class Walk {
  readonly found: Problem[] = []
  readonly #document: Heap
  readonly #seen = new Set<Declaration>()

  constructor(document: Heap) {
    this.#document = document
  }

  handler(reference: Reference, pointer: string, heap: Heap, isSet: boolean): void {
    const place = declarationOf(reference, heap)
    if (place === null || isSet || isDecorated(place) || this.#seen.has(place.declaration)) return
    const { declaration } = place
    this.#seen.add(declaration)
    const { definition, config } = declaration
    if (definition.target === 'needs') {
      const isOwn = place.heap === this.#document && declaration.pointer !== ''
      this.found.push({ pointer: isOwn ? declaration.pointer : pointer, message: messageFor(definition.name) })
      return
    }
    let isSetBefore = false
    for (const [inner, at] of referencesIn(config, '')) {
      const path = parsePointer(at) ?? []
      if (isOf(inner, FilterKind as Kind)) isSetBefore ||= this.#filterSets(inner, place.heap)
      else if (isOf(inner, HandlerKind as Kind) && PASSED_ON.has(path.at(-1) ?? '')) {
        const isSetBeside = baseUriBeside(config, at) !== undefined
        const from =
          place.heap === this.#document
            ? appendPointer(declaration.pointer, 'config') + documentPointer(config, at)
            : pointer
        this.handler(inner, from, place.heap, isSetBefore || isSetBeside)
      }
    }
  }

  #filterSets(reference: Reference, heap: Heap): boolean {
    const place = declarationOf(reference, heap)
    if (place === null) return false
    if (place.declaration.definition.target === 'sets' || isDecorated(place)) return true
    for (const [inner] of referencesIn(place.declaration.config, '')) {
      if (isOf(inner, FilterKind as Kind) && this.#filterSets(inner, place.heap)) return true
    }
    return false
  }
}

interface Place {
  readonly declaration: Declaration
  /** The heap in which its names are looked up. */
  readonly heap: Heap
}

function declarationOf({ target, declared }: Reference, heap: Heap): Place | null {
  if (typeof target === 'string') return heap.declarationOf(target)
  return declared === null ? null : { declaration: declared as Declaration, heap }
}

function isDecorated({ declaration, heap }: Place): boolean {
  return declaration.decorations.some(({ decorator }) => sets(heap, decorator))
}

function sets(heap: Heap, decorator: string): boolean {
  return heap.decoding.decoratorType(decorator)?.target === 'sets'
}

function isOf({ kinds }: Reference, kind: Kind): boolean {
  return kinds.includes(kind)
}

function messageFor(type: string): string {
  return `no baseURI names a server for this ${type}: requests go where their Host says, which may be this gateway itself (508); add "baseURI" here or to the route, false where that is meant`
}
