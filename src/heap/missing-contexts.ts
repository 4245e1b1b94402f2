import { FilterKind, HandlerKind } from '#contracts'
import { BUILT_IN_CONTEXTS } from '#http'
import { appendPointer, isPlainObject } from '#json'
import { didYouMean, documentPointer, type Kind, type Problem, referencesIn, type TypeDefinition } from '#schema'
import { type ChainStep, namesOf, placeOf } from './chain-walk.ts'
import type { Declaration } from './declaration.ts'
import type { Heap } from './heap.ts'

/** Services below a filter, such as its resolver and the delegate of that, are followed to this depth. */
const DEEPEST = 8

/**
 * Warnings for expressions that read a context, and for objects that need one, where no filter before adds it; and for filters
 * without effect behind others. Of an object that requests reach in several ways, only what all of them lack is reported.
 */
export function missingContexts(steps: readonly ChainStep[], document: Heap): Problem[] {
  const found = new Map<string, Problem & { isMet: boolean }>()
  const add = (pointer: string, isMet: boolean, message: string): void => {
    const key = `${pointer} ${message}`
    const known = found.get(key)
    if (known === undefined) found.set(key, { pointer, message, isMet })
    else known.isMet ||= isMet
  }
  for (const { declaration, heap, pointer, before, inside } of steps) {
    const { definition } = declaration
    const own = [definition.provides, ...Object.values(definition.diverts)].flatMap(namesOf)
    const has = (name: string) => BUILT_IN_CONTEXTS.has(name) || inside.contexts.has(name) || own.includes(name)
    for (const used of withServices(declaration, heap)) {
      for (const { context, field, consequence } of used.definition.needs) {
        if (!isGiven(used, field)) continue
        const place = field === undefined ? '' : `/config${documentPointer(used.config, appendPointer('', field))}`
        const at = heap === document && used === declaration ? pointer + place : pointer
        add(at, has(context.name), `contexts.${context.name} is missing here: ${consequence}`)
      }
      for (const read of heap.contextReads.of(used)) {
        const at = heap === document ? read.pointer : pointer
        for (const name of read.contexts) add(at, has(name), messageFor(name, steps))
      }
    }
    const early = [...before.types].find(({ after }) => after.includes(definition.name))
    if (early !== undefined)
      add(pointer, false, `${definition.name} has no effect behind a ${early.name}: put it before that filter`)
  }
  return [...found.values()].filter(({ isMet }) => !isMet).map(({ pointer, message }) => ({ pointer, message }))
}

/** An object and those that work for it, such as the resolver of a filter. */
function* withServices(declaration: Declaration, heap: Heap, depth = 0): Generator<Declaration> {
  yield declaration
  if (depth === DEEPEST) return
  for (const [inner] of referencesIn(declaration.config, '')) {
    if (inner.kinds.some((kind) => IN_CHAINS.has(kind))) continue
    const place = placeOf(inner, heap)
    // Expressions of objects of a parent are noted there.
    if (place?.heap === heap) yield* withServices(place.declaration, heap, depth + 1)
  }
}

const IN_CHAINS: ReadonlySet<Kind> = new Set([FilterKind as Kind, HandlerKind as Kind])

function isGiven({ config }: Declaration, field: string | undefined): boolean {
  if (field === undefined) return true
  return isPlainObject(config) && config[field] !== undefined && config[field] !== null
}

function messageFor(name: string, steps: readonly ChainStep[]): string {
  const start = `contexts.${name} is null here: no filter before adds it`
  const types = new Set(steps.map(({ declaration }) => declaration.definition))
  const adds = ({ provides }: TypeDefinition) => namesOf(provides).includes(name)
  const later = [...types].find(adds)
  if (later !== undefined) return `${start}; the ${later.name} has to be before it`
  const known = [...BUILT_IN_CONTEXTS, ...[...types].flatMap(({ provides }) => namesOf(provides))]
  const suggestion = didYouMean(name, known)
  return suggestion === ''
    ? `${start}; contexts.md of the reference names the filters that add a context`
    : start + suggestion
}
