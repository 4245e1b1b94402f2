import { isPlainObject, type JsonObject, parseJson } from '#json'
import { type ContentEntry, type LocalState, pathProblem } from '#releases'

/** A release that is on the disk of this instance. */
export interface CopiedRelease extends LocalState {
  readonly parent: number | null
  readonly author: string
  /** Time by the clock of its writer. */
  readonly created: string
  readonly note: string | null
  readonly files: ReadonlyMap<string, ContentEntry>
}

const FORMAT = 1
const HASH = /^[0-9a-f]{64}$/

/** Contents of files, by their paths. */
type Entries = ReadonlyMap<string, ContentEntry>

/** What is recorded on disk. */
export interface CopyRecord {
  readonly release: CopiedRelease
  /** Contents of routes that were served before the one of the release, which may be one that can not be built. */
  readonly kept: Entries
  /** When this instance took the release, in milliseconds by its own clock. */
  readonly taken: number
}

export function encodeCopy({ release: { files, ...rest }, kept, taken }: CopyRecord): string {
  const record = { format: FORMAT, ...rest, taken, files: encodeEntries(files), kept: encodeEntries(kept) }
  return `${JSON.stringify(record)}\n`
}

function encodeEntries(entries: Entries): Record<string, unknown> {
  return Object.fromEntries([...entries].map(([path, { hash, bytes }]) => [path, [hash, bytes]]))
}

/** Throws where the text is not the record of a copy: it may have been changed by hand, and its paths are written to. */
export function decodeCopy(text: string): CopyRecord {
  const json = parseJson(text)
  if (!isPlainObject(json)) throw new Error('expected a JSON object')
  const { format, store, release, write, parent, author, created, note, files, kept = {}, taken } = json as JsonObject
  if (format !== FORMAT) throw new Error(`expected format ${FORMAT}, found ${JSON.stringify(format)}`)
  const texts = [store, write, author, created]
  if (!texts.every((each) => typeof each === 'string')) throw new Error('expected store, write, author and created')
  if (note !== null && typeof note !== 'string') throw new Error('expected a text as note')
  if (!isNumber(release) || !(parent === null || isNumber(parent)))
    throw new Error('expected numbers as release and parent')
  if (!isPlainObject(files) || !isPlainObject(kept)) throw new Error('expected objects as files and kept')
  const [storeId, writeId, by, time] = texts as [string, string, string, string]
  const identity = { store: storeId, release, write: writeId, parent, author: by, created: time, note }
  const [entries, others] = [files, kept].map((each) => new Map(Object.entries(each).map(decodeEntry)))
  return {
    release: { ...identity, files: entries as Entries },
    kept: others as Entries,
    taken: typeof taken === 'number' ? taken : 0,
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

function decodeEntry([path, entry]: [string, unknown]): [string, ContentEntry] {
  const problem = pathProblem(path)
  if (problem !== null) throw new Error(`path ${JSON.stringify(path.slice(0, 80))}: ${problem}`)
  const [hash, bytes] = Array.isArray(entry) ? entry : []
  if (typeof hash !== 'string' || !HASH.test(hash) || typeof bytes !== 'number' || !Number.isSafeInteger(bytes))
    throw new Error(`expected [hash, bytes] for ${JSON.stringify(path.slice(0, 80))}`)
  return [path, { hash, bytes }]
}

/** Paths that differ between two sets of files: those to write, and those to remove. */
export function changedPaths(
  before: ReadonlyMap<string, ContentEntry>,
  after: ReadonlyMap<string, ContentEntry>,
): { readonly written: readonly string[]; readonly removed: readonly string[] } {
  const [written, removed]: [string[], string[]] = [[], []]
  if (before === after) return { written, removed }
  for (const [path, { hash }] of after) if (before.get(path)?.hash !== hash) written.push(path)
  for (const path of before.keys()) if (!after.has(path)) removed.push(path)
  return { written, removed }
}

/**
 * Contents that are kept beside a release that replaces another: the one before of each route that changes, or, where units have not
 * served that (`isUnproven`), the one that is kept already. So a restart has a version to serve of a route that can not be built.
 */
export function keptBeside(
  before: CopyRecord | null,
  after: CopiedRelease,
  isUnproven: (path: string) => boolean,
): Entries {
  const kept = new Map<string, ContentEntry>()
  if (before === null) return kept
  for (const [path, { hash }] of after.files) {
    if (!path.startsWith('config/routes/')) continue
    const previous = before.release.files.get(path)
    const earlier = isUnproven(path) ? before.kept.get(path) : undefined
    const entry = earlier ?? (previous?.hash === hash ? undefined : previous)
    if (entry !== undefined && entry.hash !== hash) kept.set(path, entry)
  }
  return kept
}

/** Hashes of all contents of a record. */
export function hashesOf({ release, kept }: CopyRecord): Set<string> {
  return new Set([...release.files.values(), ...kept.values()].map(({ hash }) => hash))
}
