import { isPlainObject, type JsonObject, type JsonValue, parseUniqueJson } from '#json'
import type { ContentEntry } from './content.ts'
import { ReleaseError } from './release-error.ts'
import { pathProblem } from './release-path.ts'

/** Format of records that this version reads and writes. */
export const FORMAT = 1

/** Files of one release. Together with the lengths of paths it bounds the size of a shard. */
export const MAX_FILES = 100_000

/** Depth of records and shards is at most 4; a hostile value is rejected before it is parsed. */
const MAX_DEPTH = 8

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads members of a JSON object of the store; the first that is not as expected is a ReleaseError with its name. */
export class Manifest {
  readonly where: string
  readonly #members: JsonObject
  readonly #expected: string

  private constructor(where: string, members: JsonObject, expected: string) {
    this.where = where
    this.#members = members
    this.#expected = expected
  }

  /** `expected` completes "expected ...", for example "the record of a release". */
  static parse(where: string, data: Buffer, maxBytes: number, expected: string): Manifest {
    if (data.length > maxBytes) {
      throw new ReleaseError('too-large', where, `${expected} has ${data.length} bytes, more than ${maxBytes}`)
    }
    let value: JsonValue
    try {
      value = parseUniqueJson(strictUtf8.decode(data), { depth: MAX_DEPTH })
    } catch (error) {
      throw new ReleaseError('not-a-manifest', where, `expected ${expected} as JSON: ${(error as Error).message}`)
    }
    return Manifest.of(where, value, expected)
  }

  static of(where: string, value: JsonValue | undefined, expected: string): Manifest {
    if (isPlainObject(value)) return new Manifest(where, value as JsonObject, expected)
    throw new ReleaseError('not-a-manifest', where, `expected ${expected} as a JSON object, found ${shown(value)}`)
  }

  /** Checks the format before anything else: a newer one may have other members. */
  checkFormat(): this {
    const format = this.get('format')
    if (typeof format === 'number' && Number.isInteger(format) && format > FORMAT) {
      throw new ReleaseError(
        'newer-format',
        this.where,
        `${this.#expected} has format ${format}, this gateway reads format ${FORMAT}; upgrade this gateway, which serves its last release until then`,
      )
    }
    if (format !== FORMAT) this.fail('format', `${FORMAT}`)
    return this
  }

  /** Members beside these are rejected: their meaning is not known. */
  only(...names: string[]): this {
    const unknown = Object.keys(this.#members).find((name) => !names.includes(name))
    if (unknown === undefined) return this
    throw new ReleaseError(
      'not-a-manifest',
      this.where,
      `unknown member ${shown(unknown)} in ${this.#expected}, expected ${names.join(', ')}`,
    )
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#members, name)
  }

  get(name: string): JsonValue | undefined {
    return this.has(name) ? this.#members[name] : undefined
  }

  entries(): [string, JsonValue][] {
    return Object.entries(this.#members)
  }

  integer(name: string, least: number, most: number): number {
    const value = this.get(name)
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    return this.fail(name, `an integer from ${least} to ${most}`)
  }

  text(name: string, maxLength: number): string {
    const value = this.get(name)
    if (typeof value === 'string' && value.length <= maxLength && value.isWellFormed()) return value
    return this.fail(name, `text of at most ${maxLength} characters`)
  }

  matching(name: string, form: RegExp, expected: string): string {
    const value = this.get(name)
    if (typeof value === 'string' && form.test(value)) return value
    return this.fail(name, expected)
  }

  fail(name: string, expected: string): never {
    throw new ReleaseError(
      'not-a-manifest',
      this.where,
      `expected ${expected} as "${name}" of ${this.#expected}, found ${shown(this.get(name))}`,
    )
  }
}

/** `[hash, bytes]` of a content. */
export function decodeEntry(where: string, name: string, value: JsonValue, maxBytes: number): ContentEntry {
  const [hash, bytes, ...more] = Array.isArray(value) ? value : []
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash) || more.length > 0) return badEntry(where, name, value)
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return badEntry(where, name, value)
  if (bytes > maxBytes) {
    throw new ReleaseError('too-large', where, `${shown(name)} has ${bytes} bytes, more than ${maxBytes}`)
  }
  return { hash, bytes }
}

function badEntry(where: string, name: string, value: JsonValue): never {
  const expected = 'expected [SHA-256 in hex, number of bytes]'
  throw new ReleaseError('not-a-manifest', where, `${expected} for ${shown(name)}, found ${shown(value)}`)
}

/** `{ path: [hash, bytes] }` with checked paths. `maxBytes` is for each file. */
export function decodeEntries(
  where: string,
  value: JsonValue | undefined,
  maxBytes: number,
): Map<string, ContentEntry> {
  const manifest = Manifest.of(where, value, 'the entries of a release')
  const entries = new Map<string, ContentEntry>()
  for (const [path, entry] of manifest.entries()) {
    checkPath(where, path)
    entries.set(path, decodeEntry(where, path, entry, maxBytes))
  }
  return entries
}

export function checkPath(where: string, path: string): void {
  const problem = pathProblem(path)
  if (problem !== null) throw new ReleaseError('path', where, `path ${shown(path)}: ${problem}`)
}

/** At most 80 characters of a value of the store, on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}
