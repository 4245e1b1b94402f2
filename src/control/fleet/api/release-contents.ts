import { type Action, Refusal } from '#crest'
import { EtcdError } from '#etcd'
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'
import { type ContentEntry, ReleaseError } from '#releases'
import type { Fleet } from '../fleet.ts'
import { FLEET_DESCRIPTIONS } from './releases-descriptions.ts'
import { storeRefusal } from './store-refusal.ts'

/** Bytes of contents in one response. */
const MAX_BYTES = 8 * 1024 * 1024

/** `files`: the paths of a release, with hash and size. */
export function filesAction(fleet: Fleet): Action {
  return {
    ...FLEET_DESCRIPTIONS.actions.files,
    run: async (_, { id }) => {
      const entries = await entriesOf(fleet, Number(id))
      if (entries instanceof Refusal) return entries
      const files: JsonObject = {}
      for (const [path, { hash, bytes }] of sorted(entries)) setOwn(files, path, { sha256: hash, bytes })
      return { files }
    },
  }
}

/** `contents`: the files of a release themselves, as many as fit in a response. */
export function contentsAction(fleet: Fleet): Action {
  return {
    ...FLEET_DESCRIPTIONS.actions.contents,
    run: async (_, { id, body }) => {
      const asked = pathsIn(body)
      if (asked instanceof Refusal) return asked
      const entries = await entriesOf(fleet, Number(id))
      if (entries instanceof Refusal) return entries
      const missing = asked?.find((path) => !entries.has(path))
      if (missing !== undefined)
        return new Refusal(404, `the release has no file ${JSON.stringify(missing.slice(0, 200))}`)
      const wanted =
        asked === null ? sorted(entries) : asked.map((path) => [path, entries.get(path) as ContentEntry] as const)
      return contents(fleet, wanted)
    },
  }
}

async function contents(
  fleet: Fleet,
  wanted: readonly (readonly [string, ContentEntry])[],
): Promise<JsonObject | Refusal> {
  let bytes = 0
  const fitting = wanted.filter(([, entry], at) => {
    bytes += entry.bytes
    return at === 0 || bytes <= MAX_BYTES
  })
  const data = new Map<string, Buffer>()
  const unknown: ContentEntry[] = []
  for (const [, entry] of fitting) {
    const local = data.has(entry.hash) ? null : await fleet.copy.content(entry.hash)
    if (local !== null) data.set(entry.hash, local)
    else if (!data.has(entry.hash)) unknown.push(entry)
  }
  try {
    for await (const content of fleet.releases.contents(unknown)) data.set(content.hash, content.data)
  } catch (error) {
    if (error instanceof EtcdError || error instanceof ReleaseError) return storeRefusal(error)
    throw error
  }
  const files: JsonObject = {}
  for (const [path, { hash }] of fitting) setOwn(files, path, shown(data.get(hash) as Buffer))
  return { files, left: wanted.slice(fitting.length).map(([path]) => path) }
}

/** Those of the local copy need no store. */
async function entriesOf(fleet: Fleet, number: number): Promise<ReadonlyMap<string, ContentEntry> | Refusal> {
  const local = fleet.copy.release
  if (local?.release === number) return local.files
  try {
    const record = await fleet.releases.release(number)
    if (record === null) return new Refusal(404, 'there is no release of this number')
    return new Map(await fleet.releases.tree(record))
  } catch (error) {
    if (error instanceof EtcdError || error instanceof ReleaseError) return storeRefusal(error)
    throw error
  }
}

function pathsIn(body: JsonValue): readonly string[] | null | Refusal {
  const { paths = null } = isPlainObject(body) ? (body as JsonObject) : {}
  if (paths === null) return null
  const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string')
  return isList ? [...new Set(paths as string[])] : new Refusal(400, 'paths: expected a list of paths')
}

function sorted(entries: ReadonlyMap<string, ContentEntry>): (readonly [string, ContentEntry])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
}

function shown(data: Buffer): JsonValue {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
  } catch {
    return { base64: data.toString('base64') }
  }
}
