import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type ChainKey, COMPRESSED, HEAD, isContinued, type TrailSource } from '#trail'
import { withoutRepeats } from './file-repeats.ts'

/** Files of one trail. */
interface NamedTrail {
  /** Path of its active file. */
  readonly name: string
  readonly source: TrailSource
}

/** Files by the name that they share. */
type Groups = Map<string, readonly string[]>

/** The name of a topic's file within that of a rotated file, its head or its compressed form. */
const TRAIL_NAME = /^(.*?)([A-Za-z][A-Za-z0-9_-]*\.(?:audit\.json|csv))/
/** A rotation between two looks at the files separates them. */
const LINK_ATTEMPTS = 4

/**
 * The trails of files and folders of a command line. Files of one topic in one folder are one trail, with those that have a prefix
 * before the name of the topic: these are recognised by their chain, or by the prefixes that the instance has.
 */
export class NamedTrails {
  readonly #operands: readonly string[]
  readonly #keys: readonly ChainKey[]
  /** Names of rotated files, without date, to those of their topics. */
  readonly #prefixed: ReadonlyMap<string, string>
  /** Paths that were found to be one trail. */
  readonly #links = new Map<string, string>()

  constructor(operands: readonly string[], keys: readonly ChainKey[], prefixed: ReadonlyMap<string, string>) {
    this.#operands = operands
    this.#keys = keys
    this.#prefixed = prefixed
  }

  /** Throws for an operand that does not exist, and for one that is no regular file: a pipe would look like a trail without events. */
  async trails(): Promise<readonly NamedTrail[]> {
    for (const path of this.#operands) if (!this.#isExpected(path)) statSync(path)
    for (const path of this.#named()) {
      if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
        throw new Error(`${path} is not a regular file; name the files of a trail, or their folder`)
    }
    let groups = await this.#linked()
    for (let attempt = 1; attempt < LINK_ATTEMPTS && isDoubtful(groups); attempt++) {
      groups = await this.#linked()
    }
    return [...groups.keys()].map((name) => ({
      name,
      source: { files: () => this.#filesOf(name), moved: () => this.#movedOf(name) },
    }))
  }

  /** A file may have been compressed or removed after a shell has listed it; the head shows whether it is missing. */
  #isExpected(path: string): boolean {
    if (compressedSince(path) !== null) return true
    const heads = this.#operands.filter((each) => each.endsWith(HEAD))
    return TRAIL_NAME.test(basename(path)) && heads.some((head) => head !== path && dirname(head) === dirname(path))
  }

  async #filesOf(name: string): Promise<readonly string[]> {
    const files = (await this.#linked()).get(name) ?? groupsOf(this.#named()).get(name)
    return withoutRepeats(files ?? [])
  }

  async #movedOf(name: string): Promise<readonly string[]> {
    const named = new Set(this.#named().map((path) => resolve(path)))
    const files = (await this.#linked(this.#beside())).get(name) ?? []
    return files.filter((path) => !path.endsWith(HEAD) && !named.has(resolve(path)))
  }

  /** Files as they are now; one that is gone is no file. */
  #named(): readonly string[] {
    return this.#operands.flatMap((path) => {
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats === undefined ? (compressedSince(path) ?? []) : stats.isDirectory() ? auditFiles(path) : path
    })
  }

  /** All files of the folders; those of a folder that can not be listed are not known. */
  #beside(): readonly string[] {
    const folders = this.#operands.map((path) =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path),
    )
    return [...new Set(folders)].flatMap((folder) => {
      try {
        return auditFiles(folder)
      } catch {
        return []
      }
    })
  }

  /** Groups of files, the rotated ones joined to the trail that they are part of. */
  async #linked(files = this.#named()): Promise<Groups> {
    const groups = groupsOf(files)
    for (let isFound = true; isFound; ) {
      isFound = false
      for (const name of [...groups.keys()].filter((each) => isRotatedOnly(each, groups))) {
        const trail = await this.#trailOf(name)
        if (trail === undefined) continue
        this.#links.set(name, trail)
        groups.set(trail, [...(groups.get(trail) ?? []), ...(groups.get(name) ?? [])])
        groups.delete(name)
        isFound = true
      }
    }
    return groups
  }

  async #trailOf(name: string): Promise<string | undefined> {
    const known = this.#links.get(name)
    if (known !== undefined) return known
    const all = groupsOf(this.#beside())
    // Only some files of a trail may have been named.
    if (all.has(name) && !isRotatedOnly(name, all)) return undefined
    const topic = this.#prefixed.get(basename(name))
    const configured = topic === undefined ? name : join(dirname(name), topic)
    if (configured !== name && all.has(configured)) return configured
    for (const [trail, files] of all) {
      if (dirname(trail) !== dirname(name) || !files.includes(`${trail}${HEAD}`)) continue
      const linked = [...all].flatMap(([each, paths]) => (this.#links.get(each) === trail ? paths : []))
      const older = () => groupsOf(this.#beside()).get(name) ?? []
      if (await isContinued(older, [...files, ...linked], this.#keys)) return trail
    }
    return undefined
  }
}

function groupsOf(files: readonly string[]): Groups {
  const groups: Groups = new Map()
  const found = new Map(files.map((path) => [resolve(path), path]))
  for (const path of found.values()) {
    const [, before = '', topic = basename(path)] = TRAIL_NAME.exec(basename(path)) ?? []
    const name = join(dirname(path), `${before}${topic}`)
    groups.set(name, [...(groups.get(name) ?? []), path])
  }
  return groups
}

function isRotatedOnly(name: string, groups: Groups): boolean {
  const files = groups.get(name) ?? []
  return !files.includes(name) && !files.includes(`${name}${HEAD}`)
}

/** Whether there are rotated files whose name is that of another trail with a prefix. */
function isDoubtful(groups: Groups): boolean {
  const names = [...groups.keys()]
  return names.some(
    (name) =>
      isRotatedOnly(name, groups) &&
      names.some((trail) => name !== trail && dirname(name) === dirname(trail) && name.endsWith(basename(trail))),
  )
}

/** A file may have been compressed after a shell has listed it. */
function compressedSince(path: string): string | null {
  const compressed = `${path}${COMPRESSED}`
  return !existsSync(path) && existsSync(compressed) ? compressed : null
}

function auditFiles(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => TRAIL_NAME.test(name) && !name.endsWith('.tmp'))
  return names.map((name) => join(folder, name))
}
