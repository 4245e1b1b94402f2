import type { Resource } from '#crest'
import { isPlainObject, type JsonObject } from '#json'
import type { StoredVersion } from '../../routes/history/version-index.ts'
import { fileRevision, idOf, type RouteFile, sourceRevision } from '../../routes/route-files.ts'
import type { RouteStore } from '../../routes/route-store.ts'

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
  const isTaken = store.deployment.problemsOf(file.file).some(({ pointer }) => pointer === '/_id')
  return isTaken ? file.file.replace(/\.json$/, '') : idOf(file)
}

/** The file of a route; of several with one id, the served one. */
export function fileOf(store: RouteStore, id: string): RouteFile | null {
  let found: RouteFile | null = null
  for (const file of store.files.all.values()) {
    if (idIn(store, file) !== id) continue
    if (store.deployment.problemsOf(file.file).length === 0) return file
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
  const versions = history.versions(id)
  if (current === null || versions.length === 0) return versions
  const [revision, source] = [fileRevision(current), sourceRevision(current)]
  return versions.filter(({ head }) => head.revision !== revision || (head.sourceRevision ?? source) !== source)
}

/** A version in responses of the API. */
export function versionSummary({ head }: StoredVersion): JsonObject {
  const source = head.sourceRevision === null ? {} : { _sourceRev: head.sourceRevision }
  return { _rev: head.revision, ...source, replacedAt: head.replacedAt, replacedBy: { ...head.replacedBy } }
}

/** A route file as a resource; the fields of `onRequest` are computed only where the request selects them. */
export function routeResource(file: RouteFile, sources: RouteSources): Resource {
  const id = idIn(sources.store, file)
  const content = contentOf(file)
  const status = () => statusOf(id, file, sources)
  const history = () => versionsOf(sources.store, id, file).map(versionSummary)
  // The text of a file that can not be read is unknown.
  const source = () => (file.text === '' ? null : file.text)
  const ofSource = () => (file.text === '' ? null : sourceRevision(file))
  const served = () => servedOf(id, file, sources)
  return {
    id,
    revision: fileRevision(file),
    content,
    get onRequest() {
      return {
        _file: file.file,
        _status: status(),
        _history: history(),
        _served: served(),
        _source: source(),
        _sourceRev: ofSource(),
      }
    },
    field: (name) => {
      if (Object.hasOwn(content, name)) return content[name]
      if (name === '_status') return status()
      if (name === '_source') return source()
      if (name === '_sourceRev') return ofSource()
      if (name === '_served') return served()
      if (name === '_file') return file.file
      return name === '_history' ? history() : undefined
    },
  }
}

/** The version that units serve: of a file that does not load the last good one, or null. */
function servedOf(id: string, { file }: RouteFile, { store }: RouteSources): JsonObject | null {
  const served = store.deployment.servedRoute(file, id)
  // A route that could not be built when a unit started is recorded, but not served.
  if (served === null || served.incomplete) return null
  const { source } = served
  return { _id: source.id, _rev: source.revision, name: source.name, _source: source.text }
}

function statusOf(id: string, { file }: RouteFile, { store, degraded }: RouteSources): JsonObject {
  const problems = store.deployment.problemsOf(file).map(({ pointer, message }) => ({ pointer, message }))
  if (problems.length > 0) return { state: 'failed', problems }
  const degradedProblems = degraded(id).map(({ object, detail }) => ({ pointer: '', message: `${object}: ${detail}` }))
  return { state: degradedProblems.length > 0 ? 'degraded' : 'loaded', problems: degradedProblems }
}
