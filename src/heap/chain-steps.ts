import { FilterKind, HandlerKind } from '#contracts'
import { appendPointer, isPlainObject, type JsonObject, type JsonValue, parsePointer } from '#json'
import { decode, isIgnoredKey, type Kind, writtenReferencesIn } from '#schema'
import type { Catalogue } from './catalogue.ts'
import { OWN_KEYS } from './declaration.ts'

/** One filter or handler of a request, as declared. */
export interface Step {
  /** Null for an inline object without a name. */
  readonly name: string | null
  /** Null where no object of that name is declared. */
  readonly type: string | null
  /** 0 for steps of every request; more for steps that another object may call. */
  readonly depth: number
  /** Path in the configuration of the calling object, such as `bindings/0/handler`. */
  readonly field?: string
  /** Condition of the step. */
  readonly condition?: string
  readonly decorators: readonly string[]
  /** Of a handler that sends the request: the `baseURI` that is in effect, as written; null without one. */
  readonly baseURI?: JsonValue
  /** Of a Router: the `baseURI` that its routes begin with, as written. */
  readonly routesBaseURI?: JsonValue
  /** Whether it may set the target server of the request, as scripts do. */
  readonly setsTarget?: boolean
  /** Heap path, as in logs. */
  readonly qualifiedName: string
}

/** The heap of a document, and its parent. */
export interface DocumentScope {
  /** Heap path of its objects. */
  readonly path: string
  readonly heap: readonly JsonValue[]
  readonly parent: DocumentScope | null
}

/** Types that only chain others: they are listed as their elements. */
const ROWS = new Set(['Chain', 'ChainOfFilters'])
const DEEPEST = 32

/** The filters and handlers of a reference, in the order of processing; `baseURI` is that of the documents around it. */
export function chainSteps(
  reference: JsonValue,
  pointer: string,
  scope: DocumentScope,
  catalogue: Catalogue,
  baseURI: JsonValue = null,
): readonly Step[] {
  const steps: Step[] = []
  new Walk(catalogue, steps).reference(reference, pointer, scope, { depth: 0 }, baseURI)
  return steps
}

interface Place {
  readonly depth: number
  readonly field?: string
  readonly condition?: string
}

class Walk {
  readonly #catalogue: Catalogue
  readonly #steps: Step[]

  constructor(catalogue: Catalogue, steps: Step[]) {
    this.#catalogue = catalogue
    this.#steps = steps
  }

  reference(json: JsonValue, pointer: string, scope: DocumentScope, place: Place, baseURI: JsonValue): void {
    if (isPlainObject(json)) {
      this.#declaration(json as JsonObject, pointer, scope, place, baseURI)
      return
    }
    const name = String(json)
    for (let outer: DocumentScope | null = scope; outer !== null; outer = outer.parent) {
      const at = outer.heap.findIndex((declared) => isPlainObject(declared) && declared['name'] === name)
      if (at < 0) continue
      this.#declaration(outer.heap[at] as JsonObject, `/heap/${at}`, outer, place, baseURI)
      return
    }
    this.#steps.push({ name, type: null, ...place, decorators: [], qualifiedName: `${scope.path}+${name}` })
  }

  #declaration(json: JsonObject, pointer: string, scope: DocumentScope, place: Place, around: JsonValue): void {
    const definition = this.#catalogue.find(String(json['type']))
    const type = definition?.name ?? String(json['type'])
    const name = typeof json['name'] === 'string' ? json['name'] : null
    const decorators = Object.keys(json).filter((key) => !OWN_KEYS.has(key) && !isIgnoredKey(key))
    const isRow = ROWS.has(type)
    const baseURI = effectiveBaseUri(json, around)
    if (!isRow || decorators.length > 0) {
      const qualifiedName = `${scope.path}+${name ?? `{${type}}${pointer}`}`
      const details = {
        ...(definition?.target === 'needs' && { baseURI }),
        ...(type === 'Router' && baseURI !== null && { routesBaseURI: baseURI }),
        ...(definition?.target === 'sets' && { setsTarget: true }),
      }
      this.#steps.push({ name, type, ...place, decorators, ...details, qualifiedName })
    }
    if (definition === null || place.depth >= DEEPEST) return
    const config = json['config'] ?? {}
    const { value } = decode(definition.config, config, '')
    if (value === null) return
    for (const [{ kinds, target }, at] of writtenReferencesIn(value, '')) {
      if (!kinds.some((kind) => kind === (FilterKind as Kind) || kind === (HandlerKind as Kind))) continue
      const inner = isRow ? place : { depth: place.depth + 1, field: at.slice(1), ...conditionBeside(config, at) }
      const besides = holderOf(config, at)
      const next = effectiveBaseUri(isPlainObject(besides) ? (besides as JsonObject) : {}, baseURI)
      this.reference(target, appendPointer(pointer, 'config') + at, scope, inner, next)
    }
  }
}

/** The object or list that has the value of a pointer. */
function holderOf(config: JsonValue, pointer: string): JsonValue | undefined {
  let holder: JsonValue | undefined = config
  for (const part of (parsePointer(pointer) ?? []).slice(0, -1)) {
    holder = Array.isArray(holder) || isPlainObject(holder) ? (holder as JsonObject)[part] : undefined
  }
  return holder
}

/** The innermost `baseURI` counts; an empty one has no effect. */
export function effectiveBaseUri({ baseURI }: JsonObject, around: JsonValue): JsonValue {
  return baseURI === undefined || baseURI === false || baseURI === null || baseURI === '' ? around : baseURI
}

/** The condition next to a reference, as in the bindings of a DispatchHandler. */
function conditionBeside(config: JsonValue, pointer: string): { condition?: string } {
  const holder = holderOf(config, pointer)
  const condition = isPlainObject(holder) ? holder['condition'] : undefined
  return condition === undefined
    ? {}
    : { condition: typeof condition === 'string' ? condition : JSON.stringify(condition) }
}
