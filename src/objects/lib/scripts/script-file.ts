import type { BigIntStats } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { recordFile } from '#expression'
import { ConfigError } from '#schema'
import { decodeScript, type ScriptLanguage, type ScriptProblem } from '#scripts'

const MAX_BYTES = 1_048_576

/** A script read from a file. */
export interface ScriptText {
  /** Its path in the scripts folder, for messages. */
  readonly name: string
  readonly text: string
  /** The first character that is not UTF-8; null where all are. */
  readonly problem: ScriptProblem | null
}

interface Found {
  readonly path: string
  readonly stats: BigIntStats
}

/** Changes with the content, and when another file of the same name is found first. */
function fingerprintOf({ path, stats: { dev, ino, mtimeNs, size } }: Found): string {
  return `${path} ${dev} ${ino} ${mtimeNs} ${size}`
}

/** A file of the scripts folder. */
export class ScriptFile {
  readonly #scripts: string
  readonly #candidates: readonly string[]
  readonly #file: string
  #seen = ''

  constructor(scripts: string, language: ScriptLanguage, file: string) {
    this.#scripts = scripts
    this.#file = file
    this.#candidates = [resolve(scripts, language, file), resolve(scripts, file)]
  }

  /** The folder to watch for changes: that of the file, else the first one searched. */
  async directory(): Promise<string> {
    return dirname((await this.#existing())?.path ?? join(this.#scripts, this.#file))
  }

  /** Reads the file. Throws ConfigError where it is missing, or outside the scripts folder. */
  async read(): Promise<ScriptText> {
    const found = await this.#existing()
    if (found === null) throw problem(`there is no file ${quoted(this.#file)} in ${quoted(this.#scripts)}`)
    const { path, stats } = found
    const real = await this.#inside(path)
    if (!stats.isFile()) throw problem(`${quoted(this.#file)} is not a file`)
    if (stats.size > MAX_BYTES) throw problem(`${quoted(this.#file)} is larger than ${MAX_BYTES} bytes`)
    this.#seen = fingerprintOf(found)
    const name = relative(this.#scripts, path).split(sep).join('/')
    return { name, ...decodeScript(await readFile(real), name) }
  }

  /** Whether the file has changed since the last read. */
  async hasChanged(): Promise<boolean> {
    const found = await this.#existing()
    return found === null || fingerprintOf(found) !== this.#seen
  }

  async #existing(): Promise<Found | null> {
    for (const path of this.#candidates) {
      recordFile(path)
      const stats = await stat(path, { bigint: true }).catch(() => null)
      if (stats !== null) return { path, stats }
    }
    return null
  }

  /** The real path: symbolic links are resolved before the check that it is inside the folder. */
  async #inside(path: string): Promise<string> {
    const [root, real] = await Promise.all([realpath(this.#scripts), realpath(path)])
    const way = relative(root, real)
    if (way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
      throw problem(`${quoted(this.#file)} is outside of ${quoted(this.#scripts)}; scripts have to be in that folder`)
    }
    return real
  }
}

function problem(message: string): ConfigError {
  return new ConfigError([{ pointer: '/file', message }])
}

const quoted = (text: string): string => JSON.stringify(text)
