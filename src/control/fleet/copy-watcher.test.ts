import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '#logging'
import { contentOf } from '#releases'
import { copiedRelease } from '#test/copied-release'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import { CopyWatcher } from './copy-watcher.ts'
import { LocalCopy } from './local-copy.ts'

const PATH = 'config/routes/a.json'
const TEXT = '{"a":1}'
const silent = createLogger({ level: 'silent' })

test('files changed by hand are overwritten, also in a folder that was deleted and made again', async () => {
  using folder = new Folder()
  const copy = await LocalCopy.open(folder.in('copy'), silent)
  await copy.put(copiedRelease(1, { [PATH]: TEXT }), async function* () {
    yield { hash: contentOf(TEXT).hash, data: Buffer.from(TEXT) }
  })
  using watcher = new CopyWatcher(copy, silent)
  watcher.follow()
  const file = join(copy.root, PATH)
  const text = (): string => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return 'missing'
    }
  }
  for (let round = 0; round < 3; round++) {
    writeFileSync(file, 'by hand')
    await waitUntil('the file is overwritten', () => text() === TEXT)
    rmSync(join(copy.root, 'config/routes'), { recursive: true })
    assert.equal(text(), 'missing')
    await waitUntil('the file is there again', () => text() === TEXT)
    // The folder is watched after the repair has ended.
    await copy.repair()
  }
})
