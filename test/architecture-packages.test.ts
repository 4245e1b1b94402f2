// Packages below `packages/`: their manifests, and what they import.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

interface Manifest {
  readonly name: string
  readonly private: boolean
  readonly type: string
  readonly exports: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const folders = globSync('packages/*', { cwd: root }).map((path) => path.split(sep).join('/'))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifestOf = (folder: string) => JSON.parse(read(`${folder}/package.json`)) as Manifest

/** Names of the packages that modules import, of npm or of this repository. */
function importedBy(folder: string): string[] {
  const modules = globSync(`${folder}/**/*.ts`, { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  const specifiers = modules.flatMap((path) =>
    Array.from(
      read(path).matchAll(/(?:^|\s)(?:from |import |import\()'([^'\n]+)'/g),
      ([, specifier = '']) => specifier,
    ),
  )
  const names = specifiers.flatMap((specifier) => /^(?:@[^/]+\/)?[^./#][^/]*/.exec(specifier) ?? [])
  return [...new Set(names)].filter((name) => !name.startsWith('node:')).sort()
}

for (const folder of folders) {
  test(`${folder} is private, has one entry and a README, and declares what it imports`, () => {
    const { name, private: isPrivate, type, exports, dependencies = {} } = manifestOf(folder)
    assert.deepEqual(
      { name, isPrivate, type, exports },
      { name: folder.replace('packages', '@identity-gateway'), isPrivate: true, type: 'module', exports: './index.ts' },
    )
    assert.ok(existsSync(join(root, folder, 'README.md')), 'README.md is missing')
    assert.deepEqual(Object.keys(dependencies).sort(), importedBy(folder))
  })
}

test('packages resolve to their sources, outside of node_modules, where Node strips types', () => {
  for (const folder of folders)
    assert.ok(import.meta.resolve(manifestOf(folder).name).endsWith(`/${folder}/index.ts`), folder)
})
