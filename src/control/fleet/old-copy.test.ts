// State directories of the layout before: files of the release beside `release.json`, contents in `.contents`.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '#logging'
import { contentOf } from '#releases'
import { copiedRelease, type Files, fetchOf, filesIn, unreachable } from '#test/copied-release'
import { Folder } from '#test/folder'
import { encodeCopy } from './copied-release.ts'
import { LocalCopy } from './local-copy.ts'

const silent = createLogger({ level: 'silent' })
const FILES: Files = {
  'config/config.json': '{"handler":"first"}',
  'config/routes/a.json': '{"a":1}',
  'config/routes/same.json': '{"a":1}',
  'scripts/lib.js': 'first',
}
const GOOD = '{"a":0}'

/** Writes a copy; `placed`: its files, `contents`: those in files of their own, `packed`: those in a pack. */
function write(
  folder: Folder,
  { placed = {}, contents = [], packed = [] }: { placed?: Files; contents?: string[]; packed?: string[] },
): void {
  const entry = contentOf(GOOD)
  const kept = new Map([['config/routes/a.json', { hash: entry.hash, bytes: entry.bytes }]])
  folder.write('release.json', encodeCopy({ release: copiedRelease(7, FILES), kept, taken: 1 }))
  for (const [path, text] of Object.entries(placed)) folder.write(path, text)
  for (const text of contents) folder.write(`.contents/${contentOf(text).hash}`, text)
  const parts = packed.map((text) => {
    const { hash, data } = contentOf(text)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([Buffer.from(hash, 'hex'), length, data])
  })
  if (parts.length === 0) return
  mkdirSync(folder.in('.contents'))
  writeFileSync(
    folder.in('.contents/0123456789abcdef.pack'),
    Buffer.concat([Buffer.from('gateway contents 1\n'), ...parts]),
  )
}

const all = [...new Set(Object.values(FILES)), GOOD]

for (const [name, parts] of Object.entries({
  'of which all is there': { placed: FILES, contents: all },
  'whose contents are in a pack, and a file is placed in part': {
    placed: { ...FILES, 'config/routes/a.json': '{"a' },
    packed: all,
  },
  'whose contents are gone': { placed: FILES, contents: [GOOD] },
})) {
  test(`a copy of the layout before is converted without the store: one ${name}`, async () => {
    using folder = new Folder()
    write(folder, parts)
    // A change that was not finished, of a release that is not served yet.
    folder.write('next.json', encodeCopy({ release: copiedRelease(8, {}), kept: new Map(), taken: 2 }))
    folder.write('.candidate/config/config.json', '{}')
    const copy = await LocalCopy.open(folder.path, silent)
    assert.deepEqual([copy.release?.release, copy.release?.write], [7, 'write-7'])
    assert.deepEqual(filesIn(folder.in('current')), FILES)
    assert.equal(copy.lastGood('config/routes/a.json')?.toString(), GOOD)
    assert.deepEqual(readdirSync(folder.path).toSorted(), ['contents', 'current', 'releases'])
    const again = await LocalCopy.open(folder.path, silent)
    assert.deepEqual([again.release?.release, filesIn(folder.in('current'))], [7, FILES])
    await again.put(copiedRelease(9, FILES), unreachable)
  })
}

test('a copy of the layout before of which a content is damaged is fetched from the store', async () => {
  using folder = new Folder()
  write(folder, { placed: { ...FILES, 'scripts/lib.js': 'by hand' } })
  const copy = await LocalCopy.open(folder.path, silent)
  assert.equal(copy.release, null)
  await copy.put(copiedRelease(8, FILES), fetchOf(FILES))
  await copy.serves((await copy.openFolders(copy.newest!)).folders)
  assert.deepEqual(filesIn(folder.in('current')), FILES)
  assert.deepEqual(
    readdirSync(folder.path)
      .filter((each) => !each.startsWith('units-'))
      .toSorted(),
    ['contents', 'current', 'releases'],
  )
})

test('a process that takes over from one of the layout before leaves its files, and takes what it has changed', async () => {
  using folder = new Folder()
  write(folder, { placed: FILES, contents: all })
  const copy = await LocalCopy.openShared(folder.path, silent)
  const { folders } = await copy.openFolders(copy.release!)
  assert.deepEqual(filesIn(join(folders.config, '..')), FILES)
  assert.deepEqual(filesIn(folder.path), FILES)
  const changed = { ...FILES, 'config/routes/a.json': '{"a":2}' }
  folder.write('config/routes/a.json', '{"a":2}')
  folder.write('release.json', encodeCopy({ release: copiedRelease(8, changed), kept: new Map(), taken: 3 }))
  await copy.own()
  assert.equal(copy.release?.release, 8)
  assert.deepEqual(filesIn(folder.in('current')), changed)
  assert.deepEqual(filesIn(join(folders.config, '..')), FILES, 'of its units')
  await copy.move()
  assert.deepEqual(filesIn(join(folders.config, '..')), changed)
  assert.equal(readdirSync(folder.path).includes('release.json'), false)
})
