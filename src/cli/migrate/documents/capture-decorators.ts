import { canonicalJson, isPlainObject, type JsonObject, type JsonValue } from '#json'

/** Types of OpenIG 2 and 3, and their decorator. */
const FILTER = /(?:^|\.)CaptureFilter$/
const DECORATOR = /(?:^|\.)CaptureDecorator$/

/** Settings of a CaptureDecorator, with its defaults. */
const DEFAULTS: JsonObject = { captureEntity: false, captureContext: false, maxEntityLength: 524_288, masks: {} }

/** The decorator that a CaptureFilter of the document needs and that no heap has; null where none is missing. */
export function missingCaptureDecorator(json: JsonObject, declared: readonly JsonObject[]): JsonObject | null {
  for (const filter of captureFiltersIn(json)) {
    if (decoratorFor(filter, declared) !== null) continue
    const names = new Set(declared.map(({ name }) => name))
    const name = ['captureFilter', ...Array.from({ length: names.size + 1 }, (_, at) => `captureFilter-${at + 2}`)]
    return {
      name: name.find((each) => !names.has(each)) ?? null,
      type: 'CaptureDecorator',
      config: settingsOf(filter),
    }
  }
  return null
}

/** A CaptureFilter as a filter that does nothing, with the decorator of its settings; null while no heap has that decorator. */
export function withCaptureDecorator(filter: JsonObject, declared: readonly JsonObject[]): JsonObject | null {
  const decorator = decoratorFor(filter, declared)
  if (decorator === null) return null
  const { type: _, config, ...others } = filter
  const nothing = { type: 'ChainOfFilters', config: { filters: [] }, [decorator]: ['request', 'response'] }
  const condition = isPlainObject(config) ? ((config['condition'] as JsonValue | undefined) ?? null) : null
  if (condition === null) return { ...others, ...nothing }
  return { ...others, type: 'ConditionalFilter', config: { condition, delegate: nothing } }
}

export function isCaptureFilter(json: JsonObject): boolean {
  return typeof json['type'] === 'string' && FILTER.test(json['type'])
}

function* captureFiltersIn(json: JsonValue): Generator<JsonObject> {
  if (Array.isArray(json)) for (const each of json) yield* captureFiltersIn(each)
  else if (isPlainObject(json)) {
    if (isCaptureFilter(json as JsonObject)) yield json as JsonObject
    else for (const key of Object.keys(json)) yield* captureFiltersIn(json[key] as JsonValue)
  }
}

function decoratorFor(filter: JsonObject, declared: readonly JsonObject[]): string | null {
  const wanted = canonicalJson({ ...DEFAULTS, ...settingsOf(filter) })
  const found = declared.find(({ name, type, config = {} }) => {
    if (typeof name !== 'string' || typeof type !== 'string' || !DECORATOR.test(type)) return false
    return canonicalJson({ ...DEFAULTS, ...(isPlainObject(config) ? config : {}) } as JsonObject) === wanted
  })
  return (found?.['name'] as string | undefined) ?? null
}

/** Unlike the decorator, the filter logs entities by default. */
function settingsOf({ config }: JsonObject): JsonObject {
  const given = isPlainObject(config) ? (config as JsonObject) : {}
  const own = Object.keys(DEFAULTS).filter((key) => Object.hasOwn(given, key) && given[key] !== null)
  return { captureEntity: true, ...Object.fromEntries(own.map((key) => [key, given[key] as JsonValue])) }
}
