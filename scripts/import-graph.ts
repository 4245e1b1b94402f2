// Which files of the repository import which, by the names that they use: an index file leads to the file that declares a name.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { root } from './steps.ts'

/** `import ... from '...'`, `export ... from '...'`, `import '...'` and `import('...')`, without those of types alone. */
const IMPORTS =
  /^(?:import|export)\s+(?!type\b)(?:(?:(\*(?:\s+as\s+\w+)?)|(?:\w+,\s*)?\{([^}]*)\}|\w+)\s+from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

interface Import {
  /** Null for all names. */
  readonly names: readonly string[] | null
  readonly file: string
}

/** Imports between the files below `src`, `packages`, `dev`, `test`, `studio` and `scripts`, by paths from the root. */
export class ImportGraph {
  readonly files: readonly string[]
  readonly #imports = new Map<string, readonly Import[]>()
  /** The other direction. */
  readonly #importers = new Map<string, readonly string[]>()
  readonly #texts = new Map<string, string>()
  readonly #aliases: Readonly<Record<string, string>>
  /** Module of each object type, which the catalogue loads by its name. */
  readonly #types = new Map<string, string>()

  constructor() {
    const files = globSync('{src,packages,dev,test,studio,scripts}/**/*.{ts,tsx}', { cwd: root })
    this.files = files.map((path) => path.split(sep).join('/')).sort()
    this.#aliases = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).imports
    for (const file of this.files) this.#texts.set(file, readFileSync(join(root, file), 'utf8'))
    for (const file of this.files) this.#imports.set(file, this.#importsOf(file))
    for (const [file, imports] of this.#imports) {
      for (const target of new Set(imports.flatMap((each) => this.#declaring(each.file, each.names))))
        this.#importers.set(target, [...(this.#importers.get(target) ?? []), file])
    }
    for (const [file, text] of this.#texts) {
      if (!file.startsWith('src/objects/') || file.endsWith('.test.ts')) continue
      for (const [, name = ''] of text.matchAll(/^ {2}name: '(\w+)',$/gm)) this.#types.set(name, file)
    }
  }

  /** All files that reach one of these by their imports, or by the object types that their text names. */
  reaching(files: Iterable<string>): ReadonlySet<string> {
    const found = this.#importing(files)
    const names = [...this.#types].filter(([, module]) => found.has(module)).map(([name]) => name)
    if (names.length === 0) return found
    const named = new RegExp(`\\b(?:${names.join('|')})\\b`)
    const building = [...this.#importing(['src/objects/catalogue.ts'])]
    return new Set([...found, ...building.filter((file) => named.test(this.#texts.get(file) ?? ''))])
  }

  #importing(files: Iterable<string>): Set<string> {
    const reached = new Set<string>()
    const waiting = [...files]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (reached.has(next)) continue
      reached.add(next)
      waiting.push(...(this.#importers.get(next) ?? []))
    }
    return reached
  }

  /** The files that declare names which a file exports: an index file itself declares nothing. */
  #declaring(file: string, names: readonly string[] | null): readonly string[] {
    if (!/(?:^|\/)index\.ts$/.test(file)) return [file]
    const exported = this.#imports.get(file) ?? []
    const found = exported.filter((each) => names === null || each.names === null || sharesName(names, each.names))
    return found.length === 0 ? [file] : found.flatMap((each) => this.#declaring(each.file, each.names))
  }

  #importsOf(file: string): readonly Import[] {
    const text = this.#texts.get(file) as string
    return Array.from(text.matchAll(IMPORTS)).flatMap(([, star, list, from, dynamic]) => {
      // The catalogue loads each type when a configuration names it.
      if (dynamic !== undefined && file === 'src/objects/catalogue.ts') return []
      const target = this.#resolve(from ?? dynamic ?? '', file)
      if (target === null) return []
      const names = list === undefined || star !== undefined ? null : namesIn(list)
      return names?.length === 0 ? [] : [{ names, file: target }]
    })
  }

  #resolve(from: string, file: string): string | null {
    const path = from.startsWith('.') ? relative(root, resolve(root, dirname(file), from)) : this.#aliased(from)
    return path !== null && existsSync(join(root, path)) ? path.split(sep).join('/') : null
  }

  #aliased(from: string): string | null {
    const name = this.#aliases[from] ?? from
    const exact = packageEntry(name) ?? this.#aliases[from]
    if (exact !== undefined) return exact.replace(/^\.\//, '')
    const support = this.#aliases['#test/*']
    if (!from.startsWith('#test/') || support === undefined) return null
    return support.replace('*', from.slice('#test/'.length)).replace(/^\.\//, '')
  }
}

/** The entry of a package of this repository: `packages/NAME/index.ts`. */
function packageEntry(from: string): string | undefined {
  return from.startsWith('@identity-gateway/')
    ? from.replace('@identity-gateway', 'packages').concat('/index.ts')
    : undefined
}

/** Names of values in `{ a, type B, c as d }`: those that the other file has. */
function namesIn(list: string): string[] {
  const entries = list.split(',').map((entry) => entry.trim())
  return entries
    .filter((entry) => entry !== '' && !entry.startsWith('type '))
    .flatMap((entry) => entry.split(/\s+as\s+/))
}

function sharesName(wanted: readonly string[], names: readonly string[]): boolean {
  return wanted.some((name) => names.includes(name))
}
