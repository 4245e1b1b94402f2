import type { Resource } from '#crest'
import { isPlainObject, type JsonObject } from '#json'
import type { StoredVersion } from '../../history/version-index.ts'
import { fileRevision, idOf, type RouteFile } from '../../route-files.ts'
import type { RouteStore } from '../../route-store.ts'

interface DegradedObject {
  readonly object: string
  readonly detail: string
}

/** Degraded objects by the id of their route. */
export type DegradedObjects = ReadonlyMap<string, readonly DegradedObject[]>

/** Sources of the resources of a folder. */
export interface RouteSources {
  readonly store: RouteStore
  degraded(id: string): readonly DegradedObject[]
}

/** The id of a file. A file with the id of another route gets its file name as id, so that it can be corrected. */
export function idIn(store: RouteStore, file: RouteFile): string {
  const isTaken = store.problemsOf(file.file).some(({ pointer }) => pointer === '/_id')
  return isTaken ? file.file.replace(/\.json$/, '') : idOf(file)
}

/** The file of a route; of several with one id, the served one. */
export function fileOf(store: RouteStore, id: string): RouteFile | null {
  let found: RouteFile | null = null
  for (const file of store.files.values()) {
    if (idIn(store, file) !== id) continue
    if (store.problemsOf(file.file).length === 0) return file
    found ??= file
  }
  return found
}

/** Cache: contents are immutable, and queries read all of them. */
const contents = new WeakMap<RouteFile, JsonObject>()

/** A route as stored, without `_id` and `_rev`. */
export function contentOf(file: RouteFile): JsonObject {
  const known = contents.get(file)
  if (known !== undefined) return known
  const value = file.route?.document.value
  const { _id: _, _rev: __, ...content } = isPlainObject(value) ? (value as JsonObject) : {}
  contents.set(file, content)
  return content
}

/** The earlier versions of a route, without those that equal the current one. */
export function versionsOf({ history }: RouteStore, id: string, current: RouteFile | null): readonly StoredVersion[] {
  const now = current === null ? null : fileRevision(current)
  return history.versions(id).filter(({ head }) => head.revision !== now)
}

/** A version in responses of the API. */
export function versionSummary({ head }: StoredVersion): JsonObject {
  return { _rev: head.revision, replacedAt: head.replacedAt, replacedBy: { ...head.replacedBy } }
}

/** A route file as a resource; `_status` and `_history` are computed only where the request selects them. */
export function routeResource(file: RouteFile, sources: RouteSources): Resource {
  const id = idIn(sources.store, file)
  const content = contentOf(file)
  const status = () => statusOf(id, file, sources)
  const history = () => versionsOf(sources.store, id, file).map(versionSummary)
  return {
    id,
    revision: fileRevision(file),
    content,
    get onRequest() {
      return { _status: status(), _history: history() }
    },
    field: (name) => {
      if (Object.hasOwn(content, name)) return content[name]
      if (name === '_status') return status()
      return name === '_history' ? history() : undefined
    },
  }
}

function statusOf(id: string, { file }: RouteFile, { store, degraded }: RouteSources): JsonObject {
  const problems = store.problemsOf(file).map(({ pointer, message }) => ({ pointer, message }))
  if (problems.length > 0) return { state: 'failed', problems }
  const degradedProblems = degraded(id).map(({ object, detail }) => ({ pointer: '', message: `${object}: ${detail}` }))
  return { state: degradedProblems.length > 0 ? 'degraded' : 'loaded', problems: degradedProblems }
}
