import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { BatchBuilder, JOURNAL_MEMORY, JournalGate, JournalWriter } from '#durable-queue'
import { systemClock } from '#schema'
import { Folder } from '#test/folder'
import { once } from '#test/waiting'
import { TurnJournal } from './turn-journal.ts'

/** The journal of a batch in a folder, and what happens, in its order. */
function turns() {
  const folder = new Folder()
  const batch = new BatchBuilder()
  const happened: string[] = []
  const targets = [{ directory: folder.path, formats: 1, format: 0, topics: ['access'] }]
  const gate = new JournalGate(new SharedArrayBuffer(JOURNAL_MEMORY.bytes), 1)
  const writer = new JournalWriter({ targets, service: 1, gate, clock: systemClock, onFault: assert.fail })
  const journal = new TurnJournal(batch, writer, () => happened.push('turn ended'))
  return {
    journal,
    happened,
    add: (id: string) => batch.add({ topic: 'access', id, time: 0, texts: [`{"_id":"${id}"}`] }),
    written: () =>
      readdirSync(folder.path)
        .map((name) => folder.read(name))
        .join(''),
    [Symbol.dispose]: () => {
      writer.endBatch()
      folder[Symbol.dispose]()
    },
  }
}

const turnEnd = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('what waits for the events of a turn goes on in order, after one write', async () => {
  using turn = turns()
  const { journal, add, happened } = turn
  const stored = ['a', 'b', 'c'].map((id) => {
    add(id)
    const event = journal.store()
    event.whenStored(() =>
      happened.push(`${id} ${[...turn.written().matchAll(/"_id":"(.)"/g)].map(([, each]) => each)}`),
    )
    return event
  })
  assert.equal(turn.written(), '')
  await turnEnd()
  assert.deepEqual(happened, ['a a,b,c', 'b a,b,c', 'c a,b,c', 'turn ended'])
  stored[0]?.whenStored(() => happened.push('at once'))
  assert.equal(happened.at(-1), 'at once')
})

test('a failure of one does not keep the others waiting, and is not lost', async () => {
  using turn = turns()
  const { journal, add, happened } = turn
  const failed = new Error('the first fails')
  add('a')
  journal.store().whenStored(() => {
    throw failed
  })
  journal.store().whenStored(() => happened.push('second'))
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  try {
    const [error] = await once(process, 'uncaughtException')
    assert.equal(error, failed)
  } finally {
    for (const listener of listeners) process.on('uncaughtException', listener)
  }
  await turnEnd()
  assert.deepEqual(happened, ['second', 'turn ended'])
})
