import type { RouteChange, RouteSource } from '#contracts'
import { foldedName, hiddenProblem, nameProblem } from '#files'
import type { Problem } from '#schema'
import type { RouteFile } from './route-files.ts'

/** A served route and its file. */
export interface ServedRoute {
  readonly source: RouteSource
  readonly file: string
  /** A unit could not build it when it started: the same content is deployed again. */
  readonly incomplete?: boolean
}

/** One change of the served routes, and its file. */
export interface PlannedChange {
  readonly change: RouteChange
  readonly file: string
}

/** Changes that make the served routes equal to the files. */
export interface RoutePlan {
  readonly changes: readonly PlannedChange[]
  /** Files that can not be served because another has their id or name. */
  readonly refused: ReadonlyMap<string, Problem>
}

/**
 * Compares the files with the served routes. A served route keeps its id and name; of two new files the first by file
 * name gets it (decisions 4: Route order). Of a file that `isChecked`, which is about to be deployed, the id and name must not
 * be taken for others either.
 */
export function planRoutes(
  files: ReadonlyMap<string, RouteFile>,
  serving: ReadonlyMap<string, ServedRoute>,
  isChecked: (file: string) => boolean = () => false,
): RoutePlan {
  const servedBy = new Map([...serving.values()].map((served) => [served.file, served]))
  const claims = new Claims()
  const refused = new Map<string, Problem>()
  const changes: PlannedChange[] = []

  for (const [file, { source }] of servedBy) {
    const wanted = files.get(file)
    const keeps =
      wanted !== undefined &&
      (wanted.route === null || (wanted.route.id === source.id && wanted.route.name === source.name))
    if (keeps) claims.add(source.id, source.name, file)
    if (wanted === undefined) changes.push({ change: { remove: source.id }, file })
  }
  for (const [file, { route, text }] of files) {
    if (route === null) continue
    const { source: served, incomplete } = servedBy.get(file) ?? {}
    const isKnown = served?.id === route.id && served.name === route.name
    const taken =
      claims.conflict(route.id, route.name, file) ??
      (isChecked(file) && !isKnown ? claims.lookalike(route.id, route.name, file) : null)
    if (taken !== null) {
      refused.set(file, taken)
      continue
    }
    claims.add(route.id, route.name, file)
    if (served?.revision === route.revision && served.id === route.id && !incomplete) continue
    const { id, name, revision } = route
    changes.push({ change: { put: { file, id, name, revision, text } }, file })
    if (served !== undefined && served.id !== id) changes.push({ change: { remove: served.id }, file })
  }
  return { changes, refused }
}

/** Owners of ids and names. */
class Claims {
  readonly #ids = new Map<string, string>()
  readonly #names = new Map<string, string>()
  /** Ids and names by their folded forms, once a file is checked. */
  #folded: { readonly ids: Map<string, string>; readonly names: Map<string, string> } | null = null

  add(id: string, name: string, file: string): void {
    this.#ids.set(id, file)
    this.#names.set(name, file)
    this.#folded?.ids.set(foldedName(id), id)
    this.#folded?.names.set(foldedName(name), name)
  }

  /** An id or name that differs from another by case or Unicode form only, or is not shown as it is. */
  lookalike(id: string, name: string, file: string): Problem | null {
    this.#folded ??= { ids: folded(this.#ids.keys()), names: folded(this.#names.keys()) }
    const otherId = this.#folded.ids.get(foldedName(id)) ?? id
    const ownerOfId = this.#ids.get(otherId) ?? file
    if (ownerOfId !== file)
      return { pointer: '/_id', message: `the id "${id}" differs from "${otherId}" of ${ownerOfId} by case only` }
    const other = this.#folded.names.get(foldedName(name)) ?? name
    const owner = this.#names.get(other) ?? file
    if (owner !== file) {
      const message = `the name "${name}" differs from "${other}" of ${owner} by case or Unicode form only`
      return { pointer: '/name', message }
    }
    const hidden = hiddenProblem(name)
    if (hidden !== null) return { pointer: '/name', message: hidden }
    // That of the file is reported with the file.
    const ofFile = file === `${id}.json` ? null : nameProblem(`${id}.json`)
    return ofFile === null ? null : { pointer: '/_id', message: `${ofFile}, as a file of this id would have it` }
  }

  conflict(id: string, name: string, file: string): Problem | null {
    const byId = this.#ids.get(id)
    if (byId !== undefined && byId !== file)
      return { pointer: '/_id', message: `the id "${id}" is already taken by ${byId}` }
    const byName = this.#names.get(name)
    if (byName !== undefined && byName !== file) {
      return { pointer: '/name', message: `the name "${name}" is already taken by ${byName}` }
    }
    return null
  }
}

function folded(texts: Iterable<string>): Map<string, string> {
  return new Map(Array.from(texts, (text) => [foldedName(text), text]))
}
