import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { LogFile } from '#logging'
import { Folder } from '#test/folder'
import { LineBatch } from './line-batch.ts'

const LINE = `${'x'.repeat(499)}\n`

/** Adds lines within one turn of the event loop, in which no write can end; returns the lines that the batch and the file lost. */
async function burst(path: string, lines: number): Promise<{ readonly dropped: number; readonly lost: number }> {
  let dropped = 0
  let lost = 0
  const file = new LogFile(path, {
    failed: () => {},
    drained: () => {},
    notReopened: () => {},
    lost: (count) => {
      lost += count
    },
  })
  const batch = new LineBatch(file, (count) => {
    dropped += count
  })
  for (let n = 0; n < lines; n++) batch.add(LINE)
  batch.flush()
  await file.close()
  return { dropped, lost }
}

test('a burst of requests that end in one turn of the event loop loses no line on a disk that can be written', async () => {
  using folder = new Folder()
  const path = join(folder.path, 'access.log')
  assert.deepEqual(await burst(path, 10_000), { dropped: 0, lost: 0 })
  assert.equal(folder.read('access.log'), LINE.repeat(10_000))
})

test('lines beyond 8 MiB are dropped, and each lost line is counted once', async () => {
  using folder = new Folder()
  const path = join(folder.path, 'access.log')
  const { dropped, lost } = await burst(path, 20_000)
  assert.equal(lost, 0)
  assert.ok(dropped > 2_000 && dropped < 4_000, `${dropped} lines`)
  assert.equal(folder.read('access.log').length, (20_000 - dropped) * LINE.length)
})
