import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DateSuffix } from './date-suffix.ts'
import type { FilePlan } from './file-plan.ts'

/** End of the names of compressed files. */
export const COMPRESSED = '.gz'
/** End of the names of files that a compression has not finished. */
export const UNFINISHED = '.gz.tmp'

/** A rotated file. */
export interface RotatedName {
  readonly path: string
  /** Path without `.gz`. */
  readonly plainPath: string
  readonly isCompressed: boolean
  readonly date: string
  readonly number: number
}

/** Names of the files of one topic: the active one and the rotated ones. */
export class TopicFiles {
  /** Path of the file that grows. */
  readonly path: string
  readonly directory: string
  /** Only lines of a chain belong to the trail. */
  readonly isChained: boolean
  readonly #start: string
  readonly #suffix: DateSuffix

  constructor(
    {
      directory,
      extension,
      rotation,
      chain = null,
    }: Pick<FilePlan, 'directory' | 'extension' | 'rotation'> & Partial<Pick<FilePlan, 'chain'>>,
    topic: string,
  ) {
    const suffix = DateSuffix.parse(rotation.suffix)
    if (typeof suffix === 'string') throw new Error(`rotationFileSuffix: ${suffix}`)
    this.directory = directory
    this.isChained = chain !== null
    this.path = join(directory, `${topic}${extension}`)
    this.#start = `${rotation.prefix}${basename(this.path)}`
    this.#suffix = suffix
  }

  /** Rotated files, the oldest first. One that exists in both forms is listed as compressed: that form is complete. */
  async rotated(): Promise<readonly RotatedName[]> {
    const found = new Map<string, RotatedName>()
    for (const name of await this.#names()) {
      const rotated = this.#parse(name)
      if (rotated === null) continue
      if (rotated.isCompressed || !found.has(rotated.plainPath)) found.set(rotated.plainPath, rotated)
    }
    return [...found.values()].sort(byAge)
  }

  /** Files that a compression has not finished, and files whose compressed form is complete. */
  async leftovers(): Promise<readonly string[]> {
    const names = new Set(await this.#names())
    return [...names]
      .filter((name) => {
        if (name.endsWith(UNFINISHED)) return this.#parse(name.slice(0, -UNFINISHED.length)) !== null
        return this.#parse(name) !== null && names.has(`${name}${COMPRESSED}`)
      })
      .map((name) => join(this.directory, name))
  }

  /** A name for the active file that puts it after all others, also when the clock was set back. */
  nextName(time: number, rotated: readonly RotatedName[]): string {
    const suffix = this.#suffix.format(time)
    const { date } = this.#suffix.order(suffix) as { date: string }
    const last = rotated.at(-1)
    if (last === undefined || last.date < date) return join(this.directory, `${this.#start}${suffix}`)
    const base = last.number === 0 ? last.plainPath : last.plainPath.replace(/_\d+$/, '')
    return `${base}_${last.number + 1}`
  }

  #parse(name: string): RotatedName | null {
    const isCompressed = name.endsWith(COMPRESSED)
    const plain = isCompressed ? name.slice(0, -COMPRESSED.length) : name
    if (!plain.startsWith(this.#start)) return null
    const order = this.#suffix.order(plain.slice(this.#start.length))
    if (order === null) return null
    return { path: join(this.directory, name), plainPath: join(this.directory, plain), isCompressed, ...order }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
}

function byAge(a: RotatedName, b: RotatedName): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1
  return a.number - b.number
}
