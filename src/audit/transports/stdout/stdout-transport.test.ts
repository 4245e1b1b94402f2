import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditRecord, openStdout, RecordRefused } from '#audit'

const { signal } = new AbortController()
const record = (id: string, text = `{"_id":"${id}"}`): AuditRecord => ({ topic: 'access', id, text, time: 0 })
const LINE = '{"_id":"1"}\n'.length
const ROOM = 1024 * 1024

/** An output with room for so many bytes. */
function output(room: number) {
  return {
    text: '',
    room,
    writeLines(bytes: Uint8Array) {
      this.room -= bytes.length
      this.text += Buffer.from(bytes).toString()
    },
  }
}

const idsOf = ({ text }: ReturnType<typeof output>): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line)._id as string)

test('every record is a line', async () => {
  const out = output(ROOM)
  await openStdout(out).send([record('1'), record('2')], signal)
  assert.equal(out.text, '{"_id":"1"}\n{"_id":"2"}\n')
})

test('an output that is not read fails the call, and the repeated call continues where it stopped', async () => {
  const out = output(2 * LINE + 1)
  const transport = openStdout(out)
  const records = ['1', '2', '3', '4', '5'].map((id) => record(id))
  await assert.rejects(transport.send(records, signal), /standard output is not read/)
  assert.deepEqual(idsOf(out), ['1', '2'])
  out.room = LINE
  await assert.rejects(transport.send([...records], signal))
  assert.deepEqual(idsOf(out), ['1', '2', '3'])
  out.room = ROOM
  await transport.send(records, signal)
  await transport.send([record('6')], signal)
  assert.deepEqual(idsOf(out), ['1', '2', '3', '4', '5', '6'])
})

test('a line that never fits is refused alone', async () => {
  const out = output(ROOM)
  const transport = openStdout(out)
  await assert.rejects(transport.send([record('1'), record('2', 'x'.repeat(2e6))], signal), (error) => {
    assert.ok(error instanceof RecordRefused)
    assert.equal(error.index, 1)
    return true
  })
  assert.deepEqual(idsOf(out), ['1'])
})
