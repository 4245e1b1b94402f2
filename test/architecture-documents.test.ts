// Paths and identifiers named in docs/architecture.md and CONTRIBUTING.md exist in the code.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

interface Mention {
  readonly name: string
  readonly line: number
}

/** Paths and file names in code spans; placeholders such as `<type>.ts`, `NAME` and `x.test.ts` are left out. */
function pathsIn(document: string): Mention[] {
  return codeSpans(document).filter(({ name }) => {
    if (/[<>*\s]|\b[A-Z]{4}|(?:^|\/)x\./.test(name)) return false
    return (
      /^(?:src|packages|dev|test|bench|scripts|docs|schemas|changes)\//.test(name) ||
      /^[\w./-]*\w\.(?:ts|md)$/.test(name)
    )
  })
}

/** Identifiers in camel case, Pascal case and upper case in code spans, also as parts of an expression or a type. */
function identifiersIn(document: string): Mention[] {
  return codeSpans(document)
    .filter(({ name }) => /^[\w.<>()[\], ]+$/.test(name) && !/[/-]|\.(?:ts|md|json)$/.test(name))
    .flatMap(({ name, line }) => name.match(/\w+/g)!.map((part) => ({ name: part, line })))
    .filter(({ name }) => /^(?:[a-z]+\d*[A-Z]\w*|[A-Z]\w*[a-z]\w*|[A-Z]+_[A-Z_]+)$/.test(name))
}

/** Code spans outside of fenced blocks. */
function codeSpans(document: string): Mention[] {
  const prose = document.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ' '))
  return prose
    .split('\n')
    .flatMap((text, at) => Array.from(text.matchAll(/`([^`]+)`/g), (match) => ({ name: match[1]!, line: at + 1 })))
}

/** Whether a path exists in the repository or in `src`; a name without a folder may be that of any file. */
function isPath(name: string, fileNames: ReadonlySet<string>): boolean {
  return ['', 'src'].some((folder) => existsSync(join(root, folder, name))) || fileNames.has(name)
}

const documents = ['docs/architecture.md', 'CONTRIBUTING.md']
const sources = globSync('{src,packages,dev,test,scripts}/**/*.{ts,mjs}', { cwd: root })
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('paths named in docs/architecture.md and CONTRIBUTING.md exist', () => {
  const fileNames = new Set(sources.map((path) => basename(path)))
  const missing = documents.flatMap((path) =>
    pathsIn(read(path))
      .filter(({ name }) => !isPath(name, fileNames))
      .map(({ name, line }) => `${path}:${line}: \`${name}\` does not exist; correct the path`),
  )
  assert.equal(missing.length, 0, missing.join('\n'))
})

test('identifiers named in docs/architecture.md and CONTRIBUTING.md occur in the code', () => {
  const mentions = documents.flatMap((path) => identifiersIn(read(path)).map((mention) => ({ path, ...mention })))
  const wanted = new Set(mentions.map(({ name }) => name))
  for (const source of sources) {
    if (wanted.size === 0) break
    if (join(root, source) === import.meta.filename) continue
    const text = read(source)
    for (const name of wanted) if (new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text)) wanted.delete(name)
  }
  const missing = mentions
    .filter(({ name }) => wanted.has(name))
    .map(({ path, line, name }) => `${path}:${line}: \`${name}\` does not occur in src, packages, dev, test or scripts`)
  assert.equal(missing.length, 0, missing.join('\n'))
})

test('paths and identifiers are found in code spans, not in fenced blocks, placeholders and plain words', () => {
  const document = [
    'A `RouteFeed` of `src/unit/route-feed.ts`, `Field<T>` and `logger.limitedTo(cause)`, `UNIT_CALLS`,',
    '```',
    '`src/in-a-block.ts` `InABlock`',
    '```',
    '`src/<family>/<type>.ts`, `test/interop/NAME/main.ts`, `x.test.ts`, `npm run generate`, `admin.json`, `heap`, `flow.ts`',
  ].join('\n')
  assert.deepEqual(pathsIn(document), [
    { name: 'src/unit/route-feed.ts', line: 1 },
    { name: 'flow.ts', line: 5 },
  ])
  assert.deepEqual(
    identifiersIn(document).map(({ name }) => name),
    ['RouteFeed', 'Field', 'limitedTo', 'UNIT_CALLS'],
  )
})
