// A release whose process is killed, or whose disk is full, at each of its steps.
import assert from 'node:assert/strict'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '#logging'
import { copiedRelease, type Files, fetchOf, filesIn } from '#test/copied-release'
import { DiskFaults } from '#test/disk-faults'
import { Folder } from '#test/folder'
import { LocalCopy } from './local-copy.ts'

const FIRST: Files = {
  'config/config.json': '{"handler":"first"}',
  'config/routes/a.json': '{"a":1}',
  'config/routes/b.json': '{"b":1}',
  'config/routes/gone.json': '{"gone":1}',
  'scripts/was-a-file': 'file',
}
const ROUTES: Files = { ...FIRST, 'config/routes/a.json': '{"a":2}', 'config/routes/new.json': '{"new":2}' }
const SECOND: Files = {
  'config/config.json': '{"handler":"second"}',
  'config/routes/a.json': '{"a":2}',
  'config/routes/b.json': '{"b":1}',
  'config/routes/deeper/still/c.json': '{"c":2}',
  'scripts/was-a-file/now-a-folder.js': 'second',
}

const silent = createLogger({ level: 'silent' })

/** Units are replaced for a release; `isMoved`: those that serve take it over. */
async function serve(copy: LocalCopy, number: number, files: Files, isMoved = false): Promise<void> {
  await copy.put(copiedRelease(number, files), fetchOf(files))
  if (isMoved) await copy.move()
  else await copy.serves((await copy.openFolders(copy.newest!)).folders)
}

/** The steps of a release, without names that are random. */
function stepsOf(root: string, steps: readonly string[]): string[] {
  const kinds = steps.map((step) =>
    step
      .replace(`${root}/`, '')
      .replace(/\.?[0-9a-f]{64}(?:\.[0-9a-f]{16}\.tmp)?/, 'HASH')
      .replace(/\.release\.json\.[0-9a-f]{16}\.tmp/, 'release.json')
      .replace(/units-\d+-\d+/, 'units'),
  )
  return [...new Set(kinds)]
}

for (const { name, next, isMoved } of [
  { name: 'that changes routes alone', next: ROUTES, isMoved: true },
  { name: 'for which units are replaced', next: SECOND, isMoved: false },
]) {
  test(`a kill at each step of a release ${name} leaves the old or the new one, whole`, async () => {
    using folder = new Folder()
    using _ = new DiskFaults()
    let isOver = false
    let isSecond = false
    for (let from = 0; !isOver; from++) {
      const root = folder.in(`killed-${from}`)
      const copy = await LocalCopy.open(root, silent)
      await serve(copy, 1, FIRST)
      let steps: readonly string[]
      {
        using faults = new DiskFaults(from)
        await serve(copy, 2, next, isMoved).catch(() => {})
        await copy.close()
        steps = faults.steps
        isOver = !faults.hasFailed
      }
      const step = stepsOf(root, steps.slice(0, from + 1)).at(-1) ?? ''
      const again = await LocalCopy.open(root, silent)
      const number = again.release?.release
      assert.ok(number === 2 || (number === 1 && !isSecond), `${step}: release ${number}`)
      isSecond = number === 2
      assert.deepEqual(filesIn(join(root, 'current')), isSecond ? next : FIRST, step)
      assert.deepEqual(
        readdirSync(join(root, 'releases')).filter((each) => /^\d/.test(each)).length,
        1,
        `${step}: nothing else is left`,
      )
      const used = new Set(Object.values(isSecond ? { ...next, kept: FIRST['config/routes/a.json'] } : FIRST))
      assert.equal(readdirSync(join(root, 'contents')).length, used.size, step)
      await serve(again, 3, FIRST)
      assert.deepEqual(filesIn(join(root, 'current')), FIRST, step)
      await again.close()
      if (!isOver) continue
      assert.ok(isSecond && from > 20, `${from} steps`)
      // What a release consists of, in this order.
      const expected = [
        'open contents/HASH',
        'write contents/HASH',
        'sync contents/HASH',
        'rename contents/HASH',
        'mkdir releases/.unfinished/config',
        'link releases/.unfinished/config/routes/a.json',
        'write releases/.unfinished/release.json',
        'sync releases/.unfinished/release.json',
        `rename releases/2-write-2`,
        ...(isMoved ? [] : ['symlink .units.tmp', 'rename units']),
        'symlink .current.tmp',
        'rename current',
      ]
      const found = stepsOf(root, steps)
      const order = expected.map((each) => found.indexOf(each))
      assert.deepEqual(
        order.toSorted((a, b) => a - b),
        order,
        found.join('\n'),
      )
      assert.ok(!order.includes(-1), found.join('\n'))
    }
  })
}

test('a disk that is full at any step of a release leaves the old one, gets its space back, and takes it later', async () => {
  using folder = new Folder()
  using _ = new DiskFaults()
  let isOver = false
  for (let from = 0; !isOver; from++) {
    const root = folder.in(`full-${from}`)
    const copy = await LocalCopy.open(root, silent)
    await serve(copy, 1, FIRST)
    const before = readdirSync(join(root, 'contents')).length
    {
      using _full = new DiskFaults(from, 'ENOSPC')
      const outcome = await serve(copy, 2, SECOND).then(
        () => null,
        (error: NodeJS.ErrnoException) => error,
      )
      isOver = outcome === null
      if (outcome !== null) assert.equal(outcome.code, 'ENOSPC', `${outcome.stack}`)
    }
    if (isOver) {
      assert.ok(from > 20, `${from} steps`)
      break
    }
    const isStored = copy.newest?.release === 2
    assert.deepEqual(filesIn(join(root, 'current')), FIRST)
    assert.equal(copy.release?.release, 1)
    if (!isStored) assert.equal(readdirSync(join(root, 'contents')).length, before, `step ${from}`)
    // As a crash would find it.
    const copied = folder.in(`crashed-${from}`)
    cpSync(root, copied, { recursive: true, verbatimSymlinks: true })
    assert.equal((await LocalCopy.open(copied, silent)).release?.release, 1)
    assert.deepEqual(filesIn(join(copied, 'current')), FIRST)
    // The one before it, by a roll back.
    await serve(copy, 3, FIRST)
    assert.deepEqual(filesIn(join(root, 'current')), FIRST)
    await serve(copy, 4, SECOND)
    assert.deepEqual(filesIn(join(root, 'current')), SECOND)
    await copy.close()
  }
})
