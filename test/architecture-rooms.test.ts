// Rooms, the entries of a folder of src, import only rooms below them: the orders are a table of docs/architecture.md.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** Rows of rooms from the top; those of one row do not import each other. */
type RoomOrder = readonly (readonly string[])[]

interface Source {
  /** Path in the folder, with `/`. */
  readonly path: string
  readonly text: string
}

/** The orders by folder: rows of the table "Rooms inside a folder". */
function ordersIn(document: string): Map<string, RoomOrder> {
  const [, section = ''] = document.split('### Rooms inside a folder\n')
  const rows = section.split('\n#')[0]!.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)
  return new Map(
    Array.from(rows, ([, folder, order]) => [
      folder!,
      order!.split(' > ').map((row) => Array.from(row.matchAll(/`([^`]+)`/g), ([, room]) => room!)),
    ]),
  )
}

/** Imports within the folder, as pairs of paths, with the line. */
function importsOf({ path, text }: Source): { readonly target: string; readonly line: number }[] {
  const found = text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^'\n]+)'/g)
  return Array.from(found, (match) => ({
    target: join(dirname(path), match[1]!).split(sep).join('/'),
    line: text.slice(0, match.index).split('\n').length,
  }))
}

/** Entries without a place in the order, places without an entry, and imports that do not go down. */
function findings(order: RoomOrder, sources: readonly Source[]): string[] {
  const rooms = order.flat()
  const rowOf = (path: string) => order.findIndex((row) => row.includes(roomOf(path)))
  const entries = new Set(sources.map(({ path }) => roomOf(path)))
  return [
    ...[...entries].filter((room) => !rooms.includes(room)).map((room) => `${room} has no place in the order`),
    ...rooms.filter((room) => !entries.has(room)).map((room) => `${room} is in the order, and does not exist`),
    ...rooms.filter((room, at) => rooms.indexOf(room) !== at).map((room) => `${room} is twice in the order`),
    ...sources.flatMap((source) =>
      importsOf(source)
        .filter(({ target }) => roomOf(target) !== roomOf(source.path) && rowOf(target) <= rowOf(source.path))
        .map(({ target, line }) => `${source.path}:${line}: ${roomOf(source.path)} may not import ${target}`),
    ),
  ]
}

/** A file of the folder itself is a room, too, with the data file of its name. */
function roomOf(path: string): string {
  return path.split('/')[0]!.replace(/\.json$/, '.ts')
}

const orders = ordersIn(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))

test('the table of rooms names the folder control', () => {
  assert.ok(orders.has('control'), `found ${[...orders.keys()].join(', ') || 'no row'}`)
})

for (const [folder, order] of orders) {
  test(`rooms of ${folder} import only rooms below them`, () => {
    const sources = globSync('**/*.ts', { cwd: join(root, 'src', folder) })
      .filter((path) => !path.endsWith('.test.ts'))
      .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(root, 'src', folder, path), 'utf8') }))
    const found = findings(order, sources)
    assert.equal(found.length, 0, `order of rooms\n  ${found.join('\n  ')}`)
  })
}

test('an import to a room above, beside or without a place is found', () => {
  const order = [['top.ts'], ['left', 'right'], ['ground']]
  const sources = [
    { path: 'top.ts', text: `import { a } from './left/a.ts'\n` },
    { path: 'left/a.ts', text: `import { b } from './b.ts'\nimport type { c } from '../ground/c.ts'\n` },
    { path: 'left/b.ts', text: '' },
    { path: 'right/d.ts', text: `export { e } from '../ground/deep/e.ts'\n` },
    { path: 'ground/c.ts', text: '' },
    { path: 'ground/deep/e.ts', text: `import { c } from '../c.ts'\n` },
  ]
  assert.deepEqual(findings(order, sources), [])
  const wrong = [
    { path: 'ground/f.ts', text: `\nimport type { a } from '../left/a.ts'\n` },
    { path: 'right/g.ts', text: `const { a } = await import('../left/a.ts')\n` },
    { path: 'loose.ts', text: `import {\n  h,\n} from './top.ts'\n` },
  ]
  assert.deepEqual(findings(order, [...sources, ...wrong]), [
    'loose.ts has no place in the order',
    'ground/f.ts:2: ground may not import left/a.ts',
    'right/g.ts:1: right may not import left/a.ts',
  ])
  assert.deepEqual(findings([...order, ['cellar', 'left']], sources), [
    'cellar is in the order, and does not exist',
    'left is twice in the order',
  ])
})

test('the table is read from the document', () => {
  const document =
    '### Rooms inside a folder\n\n| Folder | Rooms |\n|---|---|\n| `a` | `x.ts` > `y` `z` |\n\n## Next\n| `b` | `c` |\n'
  assert.deepEqual([...ordersIn(document)], [['a', [['x.ts'], ['y', 'z']]]])
})
