// Files besides the code: lock file, licence, documents and their links.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Files under version control that still exist; empty without a Git repository. */
function trackedFiles(): string[] {
  try {
    const list = execFileSync('git', ['ls-files', '-z'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return list.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
  } catch {
    return []
  }
}

interface Manifest {
  readonly files: readonly string[]
  readonly man: readonly string[]
  readonly license: string
  readonly dependencies: Record<string, string>
  readonly optionalDependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

const manifest = JSON.parse(read('package.json')) as Manifest
const packages = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }

test('the lock file has no URLs, so that any registry can be used', () => {
  const { packages: locked } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { resolved?: string; link?: boolean }>
  }
  const resolved = Object.entries(locked).filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
  assert.deepEqual(
    resolved.map(([name]) => name),
    [],
  )
})

test('B93: every dependency is pinned to one version', () => {
  const loose = Object.entries(packages).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
  assert.deepEqual(loose, [])
})

test('every dependency has a row in docs/dependencies.md, and every row a dependency', () => {
  const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!)
  assert.deepEqual(rows.toSorted(), Object.keys(packages).toSorted())
})

test('the licence file matches the manifest', () => {
  assert.equal(manifest.license, 'Apache-2.0')
  assert.match(read('LICENSE'), /Apache License\s+Version 2\.0/)
})

test('continuous integration runs the test command of the README', () => {
  const ci = read('.ci/run')
    .split('\n')
    .filter((line) => line.startsWith('npm '))
  assert.deepEqual(ci, ['npm test'])
  assert.ok((statSync(join(root, '.ci/run')).mode & 0o111) !== 0, '.ci/run is not executable')
  const fences = [...read('README.md').matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map((match) => match[1]!)
  const lines = fences.flatMap((fence) => fence.split('\n').map((line) => line.replace(/\s*#.*$/, '').trim()))
  assert.ok(lines.includes('npm test'), 'README.md shows no `npm test` in a fenced block')
})

test('decision records are short and numbered without gaps', () => {
  const records = globSync('docs/adr/*.md', { cwd: root }).toSorted()
  assert.ok(records.length >= 28, `${records.length} decision records were found`)
  records.forEach((path, index) => {
    const name = path.split(/[\\/]/).at(-1)!
    assert.ok(name.startsWith(`${String(index + 1).padStart(4, '0')}-`), `${path}: expected number ${index + 1}`)
    const lines = read(path).split('\n').length - 1
    assert.ok(lines <= 60, `${path}: ${lines} lines; at most 60`)
  })
})

test('spec gaps have one id each, in order, and the code cites only rows that exist', () => {
  const tables = globSync('docs/spec-gaps/*.md', { cwd: root }).map((path) => ({
    path,
    ids: [...read(path).matchAll(/^\| (\d+|[a-z]+(?:-[a-z\d]+)+) \|/gm)].map((match) => match[1]!),
    rows: read(path).match(/^\| (?!Id)/gm)?.length,
  }))
  for (const { path, ids, rows } of tables) {
    assert.equal(ids.length, rows, `${path}: an id is a number of old or words joined with dashes`)
    assert.deepEqual(ids, ids.toSorted(byNumberThenWords), `${path}: rows in order, numbers first`)
  }
  const known = tables.flatMap(({ ids }) => ids)
  assert.ok(known.length > 300, `${known.length} spec gaps were found`)
  assert.deepEqual(
    known.filter((id, index) => known.indexOf(id) !== index),
    [],
    'an id stands twice',
  )
  const strays = globSync('{src,packages,test,docs}/**/*.{ts,md}', { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/spec gaps? (\d+|[a-z]+(?:-[a-z\d]+)+)/g)]
      .filter((match) => !known.includes(match[1]!))
      .map((match) => `${path}: ${match[0]}`),
  )
  assert.deepEqual(strays, [])
})

function byNumberThenWords(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

test('threats are numbered once each, and the code cites only rows that exist', () => {
  const rows = [...read('docs/threats.md').matchAll(/^\| ([BF]\d+) \|/gm)].map((match) => match[1]!)
  assert.ok(rows.length > 120, `${rows.length} threats were found`)
  assert.equal(new Set(rows).size, rows.length, 'a number stands twice in docs/threats.md')
  const strays = globSync('{src,packages,test,docs}/**/*.{ts,md}', { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/threats? ([BF]\d+(?:, [BF]\d+)*)/g)]
      .flatMap((match) => match[1]!.split(', '))
      .filter((number) => !rows.includes(number))
      .map((number) => `${path}: threats ${number}`),
  )
  assert.deepEqual(strays, [])
})

test('tests that docs/threats.md names exist, in the files that it names', () => {
  const cited = [
    ...read('docs/threats.md').matchAll(/`((?:src|packages|test)\/[^`]+\.test\.ts)`: ("[^"|]+"(?:, "[^"|]+")*)/g),
  ]
  assert.ok(cited.length > 20, `${cited.length} files are named with their tests`)
  const missing = cited.flatMap(([, path = '', names = '']) => {
    if (!existsSync(join(root, path))) return [path]
    const source = read(path)
    return [...names.matchAll(/"([^"]+)"/g)]
      .filter(([, name]) => !source.includes(name!))
      .map(([name]) => `${path}: ${name}`)
  })
  assert.deepEqual(missing, [])
})

test('no tracked file names a path of a development machine or a package registry', (context) => {
  const files = trackedFiles()
  if (files.length === 0) return context.skip('not a git checkout')
  // Concatenated, so that this file does not match.
  const places = ['work/(?:main|shared)', 'root/', 'Users/\\w', 'home/\\w+/(?:\\.|src|work|code|dev|projects)'].join(
    '|',
  )
  const pattern = new RegExp(`(?<![\\w.\\]^*])/(?:${places})|\\bregistry\\.[a-z]+(?:js)?\\.(?:org|com|io)`)
  const findings = files.flatMap((path) => {
    const text = read(path)
    if (text.includes('\0')) return []
    return text.split('\n').flatMap((line, index) => {
      const match = pattern.exec(line)
      return match === null ? [] : [`${path}:${index + 1}: ${match[0]}`]
    })
  })
  assert.deepEqual(findings, [])
})

test('relative links of the documents have existing targets', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', '{src,packages}/**/*.md', 'changes/*.md'], {
    cwd: root,
  })
  assert.ok(documents.length > 300, `${documents.length} documents were found`)
  const broken = documents.flatMap((path) =>
    linkTargets(path)
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${path}: ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('documents of the package link only to files of the package', () => {
  const packed = [...manifest.files, 'README.md', 'LICENSE', 'package.json']
  const isPacked = (path: string): boolean => packed.some((entry) => path === entry || path.startsWith(`${entry}/`))
  const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'deploy/**/*.md'], { cwd: root })
  const broken = documents.filter(isPacked).flatMap((path) =>
    linkTargets(path)
      .filter((target) => !isPacked(target))
      .map((target) => `${path}: ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('the manifest lists manual pages in an array: npm links no page of a string', () => {
  for (const path of manifest.man) assert.ok(existsSync(join(root, path)), path)
})

/** Files that a document links to, relative to the root of the repository. */
function linkTargets(path: string): string[] {
  const prose = read(path)
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => join(dirname(path), decodeURIComponent(target.replace(/#.*$/, ''))).replace(/\/$/, ''))
}
