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

export function encodeCopy({ files, ...rest }: CopiedRelease): string {
  const entries = [...files].map(([path, { hash, bytes }]) => [path, [hash, bytes]])
  return `${JSON.stringify({ format: FORMAT, ...rest, files: Object.fromEntries(entries) })}\n`
}

/** Throws where the text is not the record of a copy: it may have been changed by hand, and its paths are written to. */
export function decodeCopy(text: string): CopiedRelease {
  const json = parseJson(text)
  if (!isPlainObject(json)) throw new Error('expected a JSON object')
  const { format, store, release, write, parent, author, created, note, files } = json as JsonObject
  if (format !== FORMAT) throw new Error(`expected format ${FORMAT}, found ${JSON.stringify(format)}`)
  const texts = [store, write, author, created]
  if (!texts.every((each) => typeof each === 'string')) throw new Error('expected store, write, author and created')
  if (note !== null && typeof note !== 'string') throw new Error('expected a text as note')
  if (!isNumber(release) || !(parent === null || isNumber(parent)))
    throw new Error('expected numbers as release and parent')
  if (!isPlainObject(files)) throw new Error('expected an object as files')
  const [storeId, writeId, by, time] = texts as [string, string, string, string]
  const entries = new Map(Object.entries(files).map(decodeEntry))
  return { store: storeId, release, write: writeId, parent, author: by, created: time, note, files: entries }
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
  for (const [path, { hash }] of after) if (before.get(path)?.hash !== hash) written.push(path)
  for (const path of before.keys()) if (!after.has(path)) removed.push(path)
  return { written, removed }
}
