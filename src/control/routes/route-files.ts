import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isResourceShortage } from '#files'
import { type RouteIdentity, routeIdentity } from '#instance'
import {
  canonicalJson,
  documentText,
  isPlainObject,
  type JsonDocument,
  type JsonObject,
  JsonSyntaxError,
  type Position,
  readDocument,
} from '#json'
import type { Problem } from '#schema'

/** A route file as it was last read. */
export interface RouteFile {
  readonly file: string
  readonly text: string
  /** Changes with the file, so that unchanged files are not read again. Empty while unknown. */
  readonly stamp: string
  /** Null where the file can not be a route; `problems` has the reasons. */
  readonly route: (RouteIdentity & { readonly revision: string; readonly document: JsonDocument }) | null
  readonly problems: readonly (Problem & Partial<Position>)[]
}

/** The files of one folder, as they were last read: what is wanted. What a scan has read is taken when it is deployed. */
export class RouteFiles {
  readonly directory: string
  #all: ReadonlyMap<string, RouteFile> = new Map()

  constructor(directory: string) {
    this.directory = directory
  }

  /** By name, as units serve them, or with the problems for which they do not. */
  get all(): ReadonlyMap<string, RouteFile> {
    return this.#all
  }

  /** Reads what has changed, without taking it; `names`: the only files that may have changed. */
  read(names?: Iterable<string>): ReadonlyMap<string, RouteFile> {
    if (names === undefined) return readRouteFiles(this.directory, this.#all)
    return rereadRouteFiles(this.directory, this.#all, names)
  }

  take(files: ReadonlyMap<string, RouteFile>): void {
    this.#all = files
  }

  /** Reads one file again, before a decision is made about it. */
  reread(file: string): RouteFile | null {
    const found = rereadRouteFile(this.directory, file, this.#all.get(file))
    const files = new Map(this.#all)
    if (found === null) files.delete(file)
    else files.set(file, found)
    this.#all = files
    return found
  }
}

/** Larger files are not read, and so not written either. */
export const MAX_ROUTE_FILE = 4 * 1024 * 1024

/** File systems have coarse clocks: a second change of a file within this time may not change its times. */
export const STAMP_SETTLES_AFTER = 2_000

/**
 * Reads the route files of a folder; those with an unchanged stamp come from `known`. Throws if the process
 * has no file descriptors left, since that is not a problem of the routes.
 */
export function readRouteFiles(directory: string, known: ReadonlyMap<string, RouteFile>): Map<string, RouteFile> {
  const files = new Map<string, RouteFile>()
  for (const name of routeFileNames(directory)) {
    const file = rereadRouteFile(directory, name, known.get(name))
    if (file !== null) files.set(name, file)
  }
  return files
}

/** The files with some of them read again; in the order of their names, as after a full read. */
export function rereadRouteFiles(
  directory: string,
  known: ReadonlyMap<string, RouteFile>,
  names: Iterable<string>,
): Map<string, RouteFile> {
  const files = new Map(known)
  for (const name of names) {
    if (!isRouteFileName(name)) continue
    const file = rereadRouteFile(directory, name, known.get(name))
    if (file === null) files.delete(name)
    else files.set(name, file)
  }
  return inOrder(files)
}

/** Files in the order of their names. */
export function inOrder(files: ReadonlyMap<string, RouteFile>): Map<string, RouteFile> {
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** One route file; null where it does not exist. With an unchanged stamp it is `before`. */
function rereadRouteFile(directory: string, name: string, before: RouteFile | undefined): RouteFile | null {
  const path = join(directory, name)
  try {
    const stats = statSync(path)
    // Reading a pipe or device would block every other route.
    if (!stats.isFile()) throw new Error('it is not a regular file')
    const { mtimeMs, size, ino, ctimeMs } = stats
    const stamp = `${ino}:${size}:${mtimeMs}:${ctimeMs}`
    const kept = Date.now() - ctimeMs > STAMP_SETTLES_AFTER ? stamp : ''
    return before?.stamp === stamp ? before : readRouteFile(name, path, kept, size)
  } catch (error) {
    // Removed between listing and reading.
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    // A name that is not UTF-8 is listed as another one.
    const problem = isMissing ? notUtf8(name) : `the file can not be read: ${(error as Error).message}`
    if (problem === null) return null
    if (isResourceShortage(error)) throw error
    const problems = [{ pointer: '', message: problem }]
    return { file: name, text: '', stamp: '', route: null, problems }
  }
}

function notUtf8(name: string): string | null {
  return name.includes('\ufffd') ? 'the name of the file is not UTF-8, so that it can not be read; rename it' : null
}

/** Names of the route files of a folder, sorted; none where it does not exist. */
function routeFileNames(directory: string): string[] {
  try {
    return readdirSync(directory).filter(isRouteFileName).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function isRouteFileName(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.')
}

/** Names of files that look like routes, and are not read: `.JSON` and YAML. */
export function unreadRouteFileNames(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => /^[^.].*\.(?:json|ya?ml)$/is.test(name) && !isRouteFileName(name))
    .sort()
}

function readRouteFile(file: string, path: string, stamp: string, size: number): RouteFile {
  return size > MAX_ROUTE_FILE ? tooLarge(file, stamp) : decodeRouteFile(file, readFileSync(path), stamp)
}

function tooLarge(file: string, stamp: string): RouteFile {
  return { file, text: '', stamp, route: null, problems: [{ pointer: '', message: 'the file is larger than 4 MiB' }] }
}

/** Parses the bytes of a route file. */
export function decodeRouteFile(file: string, bytes: Uint8Array, stamp: string): RouteFile {
  if (bytes.length > MAX_ROUTE_FILE) return tooLarge(file, stamp)
  try {
    return parseRouteFile(file, documentText(bytes), stamp)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return { file, text: '', stamp, route: null, problems: [syntaxProblem(error)] }
  }
}

/** Parses the text of a route file. */
export function parseRouteFile(file: string, text: string, stamp: string): RouteFile {
  try {
    const document = readDocument(text)
    if (!isPlainObject(document.value)) {
      const problems = [{ pointer: '', message: 'expected a JSON object, the route', line: 1, column: 1 }]
      return { file, text, stamp, route: null, problems }
    }
    const identity = routeIdentity(file, document.value as JsonObject)
    if ('message' in identity) {
      return { file, text, stamp, route: null, problems: [{ ...identity, ...document.locate(identity.pointer) }] }
    }
    return {
      file,
      text,
      stamp,
      route: { ...identity, revision: revisionOf(document.value as JsonObject), document },
      problems: [],
    }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return { file, text, stamp, route: null, problems: [syntaxProblem(error)] }
  }
}

function syntaxProblem({ message, line, column }: JsonSyntaxError): RouteFile['problems'][number] {
  const reason = message.replace(/^line \d+, column \d+: /, '')
  return { pointer: '', message: `not valid JSON: ${reason}`, line, column }
}

/** The revision of a route: a hash of its canonical content. */
export function revisionOf(json: JsonObject): string {
  return createHash('sha256').update(canonicalJson(json)).digest('hex').slice(0, 32)
}

/** The id of a route file, also of an invalid one. */
export function idOf({ file, route }: RouteFile): string {
  return route?.id ?? file.replace(/\.json$/, '')
}

/** The revision of a file; for invalid JSON a hash of its text. */
export function fileRevision({ route, text }: RouteFile): string {
  return route?.revision ?? revisionOf({ text })
}

const sourceRevisions = new WeakMap<RouteFile, string>()

/** The revision of the text of a file, comments included. */
export function sourceRevision(file: RouteFile): string {
  const known = sourceRevisions.get(file)
  if (known !== undefined) return known
  const revision = textRevision(file.text)
  sourceRevisions.set(file, revision)
  return revision
}

/** The prefix keeps it different from the revision of the content, also where the text is the canonical form. */
export function textRevision(text: string): string {
  return createHash('sha256').update('text\n').update(text).digest('hex').slice(0, 32)
}
