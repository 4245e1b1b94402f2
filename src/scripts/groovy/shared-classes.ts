import { readFileSync, realpathSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import {
  type ClassInfo,
  compileProgram,
  GroovyCompileError,
  type GroovyProblem,
  type Library,
} from '@identity-gateway/groovy'
import { recordFile } from '#expression'

/** Limit of a class file in bytes, far above real ones. */
const MAX_BYTES = 1_048_576
const CLASS_NAME = /^(?:[\p{L}_$][\p{L}\p{N}_$]*\.)*[\p{L}_$][\p{L}\p{N}_$]*$/u

/** Fingerprint of a file, to detect changes; null for a missing file. */
type Fingerprint = string | null

/** Classes in files below a folder that a script imports: `com.acme.Tokens` is in `com/acme/Tokens.groovy`. */
export class SharedClasses {
  readonly #folder: string
  readonly #library: Library
  readonly #classes = new Map<string, readonly ClassInfo[]>()
  readonly #fingerprints = new Map<string, Fingerprint>()
  /** Source text of the files that were read. */
  readonly texts: string[] = []
  /** Problems of the files that were read. */
  readonly problems: GroovyProblem[] = []

  constructor(folder: string, library: Library) {
    this.#folder = folder
    this.#library = library
  }

  /** A class by its full name; null where its file is missing or invalid. */
  readonly find = (name: string): ClassInfo | null => {
    if (!CLASS_NAME.test(name) || name.length > 300) return null
    const [outer = ''] = name.split('$')
    let found = this.#classes.get(outer)
    if (found === undefined) {
      // Circular imports: the first class is missing for the second.
      this.#classes.set(outer, [])
      found = this.#read(outer)
      this.#classes.set(outer, found)
    }
    return found.find((each) => each.name === name) ?? null
  }

  /** Whether one of the files has changed since it was read, or a missing one was created. */
  async hasChanged(): Promise<boolean> {
    for (const [path, fingerprint] of this.#fingerprints) {
      const now = await stat(path, { bigint: true }).then(fingerprintOf, () => null)
      if (now !== fingerprint) return true
    }
    return false
  }

  #read(name: string): readonly ClassInfo[] {
    const path = `${join(this.#folder, ...name.split('.'))}.groovy`
    const file = relative(this.#folder, path).split(sep).join('/')
    recordFile(path)
    const known = this.problems.length
    try {
      const stats = statSync(path, { bigint: true })
      this.#fingerprints.set(path, fingerprintOf(stats))
      if (!this.#isInside(path) || !stats.isFile() || stats.size > MAX_BYTES) return []
      const text = readFileSync(path, 'utf8')
      this.texts.push(text)
      return compileProgram({ text, file, library: this.#library, classes: this.find }).classes
    } catch (error) {
      if (error instanceof GroovyCompileError) {
        // Where a class that this one imports has errors, its own ones may follow from them.
        if (this.problems.length === known) this.problems.push(...error.problems)
      } else if ((error as NodeJS.ErrnoException).code === undefined) throw error
      else if (name.includes('.')) this.#fingerprints.set(path, null)
      return []
    }
  }

  /** Links are resolved first, so that none can leave the folder. */
  #isInside(path: string): boolean {
    const way = relative(realpathSync(this.#folder), realpathSync(path))
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
  }
}

function fingerprintOf({
  dev,
  ino,
  mtimeNs,
  size,
}: {
  dev: bigint
  ino: bigint
  mtimeNs: bigint
  size: bigint
}): string {
  return `${dev} ${ino} ${mtimeNs} ${size}`
}
