import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { NamedPipe } from '#test/named-pipe'
import { waitUntil } from '#test/waiting'
import { LogFile } from './log-file.ts'

const bytes = (text: string) => Buffer.from(text)

/** What a file reports. */
function recorded() {
  const seen = { failures: [] as NodeJS.ErrnoException[], drained: 0, lost: 0, notReopened: null as Error | null }
  return {
    seen,
    failed: (error: Error) => void seen.failures.push(error),
    drained: () => void seen.drained++,
    lost: (lines: number) => {
      seen.lost += lines
    },
    notReopened: (error: Error) => {
      seen.notReopened = error
    },
  }
}

test('lines are appended in order, also by two writers, and those of a close are written', async () => {
  using folder = new Folder()
  const path = join(folder.path, 'access.log')
  const [first, second] = [new LogFile(path, recorded()), new LogFile(path, recorded())]
  for (let n = 0; n < 100; n++) first.writeLines(bytes(`${n}\n`))
  await first.close()
  second.writeLines(bytes('last\n'))
  await second.close()
  assert.equal(readFileSync(path, 'utf8'), `${Array.from({ length: 100 }, (_, n) => `${n}\n`).join('')}last\n`)
})

test('chunks of one memory do not overwrite each other', async () => {
  using folder = new Folder()
  const path = join(folder.path, 'access.log')
  const file = new LogFile(path, recorded())
  const chunks = ['first é\n', 'second 😀\n', `${'x'.repeat(60_000)}\n`, 'fourth\n']
  for (const text of chunks) file.writeLines(file.encode(text))
  const written = () => readFileSync(path, 'utf8')
  await waitUntil('all chunks are written', () => written() === chunks.join(''))
  const memory = file.encode('fifth\n')
  file.writeLines(memory)
  await waitUntil('the next one is written', () => written() === `${chunks.join('')}fifth\n`)
  await waitUntil('its memory is free', () => {
    const next = file.encode('\n')
    file.writeLines(next)
    return next.buffer === memory.buffer
  })
  await file.close()
})

test('reopen writes to a new file after a rename, and to the old one where the new one can not be opened', async () => {
  using folder = new Folder()
  const path = join(folder.path, 'logs.d', 'access.log')
  folder.write('logs.d/access.log', '')
  const events = recorded()
  const file = new LogFile(path, events)
  file.writeLines(bytes('1\n'))
  await waitUntil('the first line is written', () => readFileSync(path, 'utf8') === '1\n')
  renameSync(path, `${path}.1`)
  file.reopen()
  file.writeLines(bytes('2\n'))
  await waitUntil('the second line is written', () => existsSync(path) && readFileSync(path, 'utf8') === '2\n')
  renameSync(join(folder.path, 'logs.d'), join(folder.path, 'moved'))
  file.reopen()
  // The completion of the write may come after its line can be read; the file is opened then.
  await waitUntil('the failure is known', () => events.seen.notReopened !== null)
  assert.equal((events.seen.notReopened as NodeJS.ErrnoException | null)?.code, 'ENOENT')
  file.writeLines(bytes('3\n'))
  await file.close()
  assert.equal(readFileSync(join(folder.path, 'moved', 'access.log'), 'utf8'), '2\n3\n')
})

test('a full disk: lines are buffered up to the room, failures counted, and lines that a close gives up', async () => {
  const events = recorded()
  const file = new LogFile('/dev/full', events)
  const before = file.room
  file.writeLines(bytes('first\nsecond\n'))
  await waitUntil('the write failed', () => file.failed > 0)
  assert.equal(file.room, before - 13)
  assert.equal(events.seen.failures[0]?.code, 'ENOSPC')
  file.writeLines(bytes('third\n'))
  assert.equal(events.seen.lost, 0)
  await file.close()
  assert.equal(events.seen.lost, 3)
  assert.equal(events.seen.drained, 0)
})

test('each time when all lines are written, the file is drained', async () => {
  using folder = new Folder()
  const events = recorded()
  const file = new LogFile(join(folder.path, 'access.log'), events)
  file.writeLines(bytes('1\n'))
  file.writeLines(bytes('2\n'))
  await waitUntil('they are written', () => events.seen.drained === 1)
  assert.equal(folder.read('access.log'), '1\n2\n')
  await file.close()
  assert.deepEqual([events.seen.failures, events.seen.lost], [[], 0])
})

test('a FIFO without a reader: its lines wait for one, and it is a failure until then', async () => {
  using pipe = new NamedPipe()
  pipe.closeReader()
  const events = recorded()
  const file = new LogFile(pipe.path, events)
  assert.equal(events.seen.failures[0]?.message, 'the file is a FIFO, and no process reads it')
  file.writeLines(bytes('first\n'))
  file.reopen()
  assert.equal(events.seen.notReopened, null)
  pipe.openReader()
  await waitUntil('the line is read', () => pipe.read() === 'first\n')
  await waitUntil('the file is drained', () => events.seen.drained > 0)
  await file.close()
  assert.equal(events.seen.lost, 0)
})

test('a FIFO that never had a reader: its lines are counted as lost by the close', async () => {
  using pipe = new NamedPipe()
  pipe.closeReader()
  const events = recorded()
  const file = new LogFile(pipe.path, events)
  file.writeLines(bytes('first\nsecond\n'))
  await file.close()
  assert.equal(events.seen.lost, 2)
})

test('a FIFO that is full is not a failure, and a close waits for its reader', async () => {
  using pipe = new NamedPipe()
  const events = recorded()
  const file = new LogFile(pipe.path, events)
  const line = `${'x'.repeat(99_999)}\n`
  for (let n = 0; n < 5; n++) file.writeLines(bytes(line))
  const closed = file.close()
  await waitUntil('all lines are read', () => pipe.read().length === 5 * line.length)
  await closed
  assert.equal(pipe.text, line.repeat(5))
  assert.deepEqual([events.seen.failures, events.seen.lost, file.failed], [[], 0, 0])
})

test('a file that can not be opened throws', () => {
  using folder = new Folder()
  rmSync(folder.path, { recursive: true })
  assert.throws(() => new LogFile(join(folder.path, 'access.log'), recorded()), { code: 'ENOENT' })
})
