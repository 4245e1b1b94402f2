import type { RouteSource } from '#contracts'
import type { RouteEdit } from '../edits.ts'
import { fileRevision, idOf, type RouteFile } from '../route-files.ts'
import type { ServedRoute } from '../route-plan.ts'
import type { ReplacedVersion, RouteHistory } from './route-history.ts'
import type { StoredVersion } from './version-index.ts'

type Files = ReadonlyMap<string, RouteFile>
type Served = ReadonlyMap<string, ServedRoute>

/** The history of one folder: stores the versions that its files no longer contain. */
export class ReplacedVersions {
  readonly #history: RouteHistory
  readonly #folder: string
  /** Served versions that differ from their files and are in the history already. */
  readonly #kept = new WeakSet<RouteSource>()

  constructor(history: RouteHistory, directory: string) {
    this.#history = history
    this.#folder = history.folderName(directory)
  }

  /** Resolves when the stored versions of earlier processes are loaded. */
  loaded(): Promise<void> {
    return this.#history.load()
  }

  /** The versions of a route, the newest first. */
  versions(id: string): readonly StoredVersion[] {
    return this.#history.versions(this.#folder, id)
  }

  /** Ids of routes with versions, including deleted routes. */
  ids(): Iterable<string> {
    return this.#history.ids(this.#folder)
  }

  /** The text of a version; null where it can not be read. */
  read(version: StoredVersion): Promise<string | null> {
    return this.#history.read(version)
  }

  /** After files were changed outside the API: stores served versions that are in no file any more. */
  storeReplaced(files: Files, serving: Served): void {
    const lost: ServedRoute[] = []
    for (const served of serving.values()) {
      const route = files.get(served.file)?.route
      if (isSame(served.source, route)) this.#kept.delete(served.source)
      else if (!this.#kept.has(served.source)) lost.push(served)
    }
    if (lost.length === 0) return
    const revisions = new Map([...files.values()].map(({ route }) => [route?.id, route?.revision]))
    // A renamed file contains the same route.
    const replaced = lost.filter(({ source }) => revisions.get(source.id) !== source.revision)
    for (const { source } of replaced) this.#kept.add(source)
    void this.#history.storeInBackground(this.#folder, replaced.map(versionOf), { operation: 'file' })
  }

  /** Before an edit is written: stores the served version, and the content of the file if it differs. */
  async storeBeforeEdit({ file, next, id: meant, by }: RouteEdit, files: Files, serving: Served): Promise<void> {
    const replaced: ReplacedVersion[] = []
    const finishing: Promise<void>[] = []
    for (const served of serving.values()) {
      if (served.file !== file || isSame(served.source, next?.route)) continue
      if (this.#kept.has(served.source)) finishing.push(this.#history.finish(this.#folder, served.source.id))
      else replaced.push(versionOf(served))
    }
    const before = files.get(file)
    if (before !== undefined && before.text !== '') {
      const version = { id: meant ?? idOf(before), file, revision: fileRevision(before), text: before.text }
      const isKnown = [...replaced, ...(next === null ? [] : [{ id: idOf(next), text: next.text }])].some(
        (other) => other.id === version.id && other.text === version.text,
      )
      if (!isKnown) replaced.push(version)
    }
    await Promise.all(finishing)
    if (replaced.length > 0) await this.#history.storeNow(this.#folder, replaced, by ?? { operation: 'file' })
  }
}

function isSame(source: RouteSource, route: RouteFile['route'] | undefined): boolean {
  return route?.id === source.id && route.revision === source.revision
}

function versionOf({ source, file }: ServedRoute): ReplacedVersion {
  return { id: source.id, file, revision: source.revision, text: source.text }
}
