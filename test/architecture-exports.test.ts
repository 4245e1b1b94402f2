// Two rules for src and packages: every exported name has an importer, and imports have no cycles.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** Of the names of packages. */
const SCOPE = '@identity-gateway'

/** `#name` of package.json, and names of packages, to their files. */
const entryPoints: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(
    (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, string> }).imports,
  ).map(([name, target]) => [
    name,
    target.startsWith(SCOPE) ? `${target.replace(SCOPE, 'packages')}/index.ts` : target.replace('./', ''),
  ]),
  ...globSync('packages/*', { cwd: root }).map((path) => [
    path.replace('packages', SCOPE),
    `${path.split(sep).join('/')}/index.ts`,
  ]),
])

interface Import {
  /** Path of the imported file from the root of the repository. */
  readonly file: string
  /** Null for all of its names. */
  readonly names: readonly string[] | null
  readonly line: number
}

interface Export {
  readonly name: string
  readonly line: number
}

interface SourceFile {
  readonly path: string
  readonly imports: readonly Import[]
  readonly exports: readonly Export[]
}

const fromForm =
  /^[ \t]*(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)\s*from\s*['"]([^'"\n]+)['"]/gm
const wholeForm = /(?:^[ \t]*import\s+|\bimport\()()['"]([^'"\n]+)['"]/gm
const declaredForm =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|interface|type|enum)\s+([\w$]+)/gm
const listedForm = /^export\s+(?:type\s+)?\{([^}]*)\}/gm

function parse(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const lineAt = (index: number): number => text.slice(0, index).split('\n').length
  const imports = [fromForm, wholeForm].flatMap((form) =>
    Array.from(text.matchAll(form)).flatMap((match) => {
      const file = resolve(path, match[2]!)
      const names = match[1]!.startsWith('{') ? namesIn(match[1]!).map(([original]) => original) : null
      return file === null ? [] : [{ file, names, line: lineAt(match.index + match[0].search(/\S/)) }]
    }),
  )
  const declared = Array.from(text.matchAll(declaredForm), (match) => ({ name: match[1]!, line: lineAt(match.index) }))
  const listed = Array.from(text.matchAll(listedForm)).flatMap((match) =>
    namesIn(match[1]!).map(([, exported]) => ({ name: exported, line: lineAt(match.index) })),
  )
  return { path, imports, exports: [...declared, ...listed] }
}

/** Pairs of a list such as `{ a, type b as c }`: the name in its file, and its alias. */
function namesIn(list: string): [string, string][] {
  return list
    .replace(/[{}]|\/\/.*$/gm, '')
    .split(',')
    .map((item) => item.trim().replace(/^type\s+/, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [original = '', given = original] = item.split(/\s+as\s+/)
      return [original, given]
    })
}

function resolve(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return join(dirname(from), specifier).split(sep).join('/')
  if (Object.hasOwn(entryPoints, specifier)) return entryPoints[specifier]!
  const pattern = Object.keys(entryPoints).find((name) => name.endsWith('*') && specifier.startsWith(name.slice(0, -1)))
  return pattern === undefined ? null : entryPoints[pattern]!.replace('*', specifier.slice(pattern.length - 1))
}

const sources = globSync('{src,packages,dev,test,bench,scripts}/**/*.{ts,mjs}', {
  cwd: root,
  exclude: ['**/node_modules/**'],
})
  .map((file) => file.split(sep).join('/'))
  .sort()
  .map(parse)
const shipped = sources.filter(({ path }) => /^(?:src|packages)\//.test(path) && !path.endsWith('.test.ts'))
/** Tables that scripts/generate.ts finds by their file names. */
const foundByName = /log-events\.ts$/

test('every exported name of src and packages is imported by another file', () => {
  assert.ok(shipped.length > 500, `${shipped.length} sources were found`)
  const used = new Set<string>()
  const usedWhole = new Set<string>()
  for (const { path, imports } of sources) {
    for (const { file, names } of imports) {
      if (file === path) continue
      if (names === null) usedWhole.add(file)
      for (const name of names ?? []) used.add(`${file} ${name}`)
    }
  }
  const unused = shipped
    .filter(({ path }) => !usedWhole.has(path) && !foundByName.test(path))
    .flatMap(({ path, exports }) =>
      exports.filter(({ name }) => !used.has(`${path} ${name}`)).map(({ name, line }) => `${path}:${line}: ${name}`),
    )
  assert.equal(unused.length, 0, `used in their own file only: remove \`export\`\n  ${unused.join('\n  ')}`)
})

/** The language Groovy: its grammar, compiler and run-time calls are mutually recursive, in a file for each group. */
const recursive = /^packages\/groovy\//

test('imports of src and packages have no cycles, not even of types', () => {
  const checked = shipped.filter(({ path }) => !recursive.test(path))
  const circles = cyclesIn(new Map(checked.map(({ path, imports }) => [path, imports.map(({ file }) => file)])))
  assert.equal(circles.length, 0, `circles of imports\n  ${circles.join('\n  ')}`)
})

/** One cycle for each import that closes it, found depth first. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const visited = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) circles.push([...path.slice(start), file].join(' -> '))
    if (visited.has(file)) return
    visited.add(file)
    path.push(file)
    for (const target of graph.get(file) ?? []) visit(target)
    path.pop()
  }
  for (const file of graph.keys()) visit(file)
  return circles
}

test('an import cycle is found from any entry', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ])
  assert.deepEqual(cyclesIn(graph), ['b -> c -> b'])
})
