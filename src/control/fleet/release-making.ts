import { dirname } from 'node:path'
import {
  type Authorship,
  type ContentEntry,
  contentOf,
  type Labels,
  type ReleaseOutcome,
  wantedRelease,
} from '#releases'
import { decodeRouteFile, type RouteFile } from '../routes/route-files.ts'
import type { FetchContents } from './content-store.ts'
import { changedPaths } from './copied-release.ts'
import type { Fleet } from './fleet.ts'
import type { ReleaseProblem } from './instance-status.ts'
import { servedFolders } from './served-folders.ts'
import type { ServingHost } from './serving-host.ts'

/** Files of a release that is to be made. */
interface ReleaseDraft {
  readonly files: ReadonlyMap<string, Buffer>
  readonly by: Authorship
  readonly only: Labels | null
  /** The release that has to be current; undefined for any. */
  readonly parent: number | null | undefined
}

/** Why a release was not made before the store was asked. */
type Unmade = { readonly problems: readonly ReleaseProblem[] } | { readonly unavailable: string }

/** Makes releases that this gateway has built: of one that does not validate nothing is made. */
export class ReleaseMaking {
  readonly #fleet: Fleet
  readonly #host: ServingHost

  constructor(fleet: Fleet, host: ServingHost) {
    this.#fleet = fleet
    this.#host = host
  }

  async make(draft: ReleaseDraft): Promise<ReleaseOutcome | Unmade> {
    const entries = new Map([...draft.files].map(([path, data]) => [path, entryOf(data)]))
    const { running } = this.#fleet.versions
    const changed = changedPaths(running?.files ?? new Map(), entries)
    const paths = [...changed.written, ...changed.removed]
    const isOfRoutes = running !== null && paths.every((path) => path.startsWith('config/routes/'))
    const outcome = isOfRoutes ? await this.#ofRoutes(draft, paths) : await this.#ofAll(draft, entries)
    if ('state' in outcome && outcome.state === 'done' && outcome.release !== undefined)
      await this.#fleet.onReleaseCreated()
    return outcome
  }

  /** Routes alone: the units that serve build those that differ, and swap them in when the release is made. */
  async #ofRoutes(draft: ReleaseDraft, paths: readonly string[]): Promise<ReleaseOutcome | Unmade> {
    let outcome: ReleaseOutcome | null = null
    const write = async (): Promise<boolean> => {
      outcome = await this.#create(draft)
      return outcome.state === 'done' && this.#servesHere(draft.only)
    }
    const edits = new Map<string, Map<string, RouteFile | null>>()
    const problems: ReleaseProblem[] = []
    for (const path of paths) {
      const folder = dirname(path)
      const name = path.slice(path.lastIndexOf('/') + 1)
      const data = draft.files.get(path)
      const file = data === undefined ? null : decodeRouteFile(name, data, '')
      // Also in folders that no router has open.
      problems.push(...(file?.problems ?? []).map(({ pointer, message }) => ({ file: path, pointer, message })))
      const ofFolder = edits.get(folder) ?? new Map<string, RouteFile | null>()
      edits.set(folder, ofFolder.set(name, file))
    }
    if (problems.length > 0) return { problems }
    const built = await this.#host.editAll(edits, write)
    if (built === 'unavailable') return { unavailable: 'no unit is there to build the routes; try again' }
    if (built !== 'done') return { problems: built }
    return outcome ?? this.#create(draft)
  }

  /** config.json or scripts: a unit is started with all files, beside those that serve. */
  async #ofAll(draft: ReleaseDraft, entries: ReadonlyMap<string, ContentEntry>): Promise<ReleaseOutcome | Unmade> {
    const byHash = new Map([...draft.files.values()].map((data) => [contentOf(data).hash, data]))
    const fetch: FetchContents = async function* (wanted) {
      for (const { hash } of wanted) yield { hash, data: byHash.get(hash) as Buffer }
    }
    const { starts, problems } = await this.#fleet.copy.tryOut(entries, fetch, (root) =>
      this.#host.tryOut(servedFolders(root)),
    )
    if (!starts || problems.length > 0) return { problems }
    return this.#create(draft)
  }

  #create({ files, by, only, parent }: ReleaseDraft): Promise<ReleaseOutcome> {
    const local = this.#fleet.copy.newest
    const expected = parent === undefined ? {} : { expected: parent }
    return this.#fleet.releases.create(files, by, { local, only, overrules: true, ...expected })
  }

  /** Whether this instance serves a release that is staged for these labels. */
  #servesHere(only: Labels | null): boolean {
    if (only === null) return true
    const pointer = { store: '', release: 1, last: 2, staged: { release: 2, only } }
    return wantedRelease(pointer, this.#fleet.settings.labels) === 2
  }
}

function entryOf(data: Buffer): ContentEntry {
  const { hash, bytes } = contentOf(data)
  return { hash, bytes }
}
