import { normalizePath, Uri } from '#http'
import { appendPointer, isPlainObject } from '#json'
import { config, Deferred, type Field, field, type SettleContext } from '#schema'
import { type Mapping, PathMap } from './path-map.ts'

interface Declared {
  /** Key as configured, for pointers. */
  readonly key: string
  readonly from: Deferred<string>
  readonly to: Deferred<string>
}

/** A map from paths to paths. Keys and values may be configuration expressions; both become normal forms. */
export function mappings(): Field<Deferred<PathMap>> {
  const item = config(path())
  const schema = () => ({ type: 'object', additionalProperties: { type: 'string' } })
  return field({ label: 'a map of paths to paths', schema }, (value, report) => {
    if (!isPlainObject(value)) {
      report('expected an object: path to path')
      return undefined
    }
    const declared: Declared[] = []
    for (const key of Object.keys(value)) {
      const reportAtKey = (message: string) => report(message, [key])
      const [from, to] = [item.decode(key, reportAtKey), item.decode(value[key], reportAtKey)]
      if (from !== undefined && to !== undefined) declared.push({ key, from, to })
    }
    return new Mappings(declared)
  }) as Field<Deferred<PathMap>>
}

class Mappings extends Deferred<PathMap> {
  readonly #declared: readonly Declared[]

  constructor(declared: readonly Declared[]) {
    super()
    this.#declared = declared
  }

  settle(context: SettleContext, pointer: string): PathMap {
    const settled = new Map<string, Mapping>()
    for (const { key, from, to } of this.#declared) {
      const at = appendPointer(pointer, key)
      // Paths settle at once: there is no reference in them to wait for.
      const mapping = { from: from.settle(context, at), to: to.settle(context, at) } as Mapping
      if (settled.has(mapping.from)) context.report(at, `the path "${mapping.from || '/'}" is already mapped`)
      settled.set(mapping.from, mapping)
    }
    return new PathMap(settled.values())
  }
}

/** A path in the normal form of requests, without the final slash: the compared path is the one sent (B6). */
function path(): Field<string> {
  const label = 'a path such as "/app"'
  return field({ label, schema: () => ({ type: 'string', pattern: '^/' }) }, (value, report) => {
    const normal = typeof value === 'string' && /^\/[^?#]*$/s.test(value) ? normalOf(value) : null
    if (normal !== null && 'text' in normal) return normal.text.replace(/\/$/, '')
    const got = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value)
    report(`expected ${label}, got ${got}${normal === null ? '' : `: ${normal.problem}`}`)
    return undefined
  })
}

function normalOf(text: string): ReturnType<typeof normalizePath> {
  try {
    return normalizePath(Uri.parse(`http://path${text}`).rawPath)
  } catch (error) {
    return { problem: (error as Error).message }
  }
}
