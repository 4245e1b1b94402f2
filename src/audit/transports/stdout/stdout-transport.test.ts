import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditRecord, openStdout, RecordRefused } from '#audit'

const { signal } = new AbortController()
const record = (id: string, text = `{"_id":"${id}"}`): AuditRecord => ({ topic: 'access', id, text, time: 0 })

/** An output with room for so many lines at a time. */
function output(room: number) {
  const lines: string[] = []
  return {
    lines,
    room,
    write(line: string) {
      this.room--
      lines.push(line)
    },
    hasRoom(bytes: number) {
      return this.room > 0 && bytes < 1024 * 1024
    },
  }
}

test('every record is a line', async () => {
  const out = output(10)
  await openStdout(out).send([record('1'), record('2')], signal)
  assert.deepEqual(out.lines, ['{"_id":"1"}\n', '{"_id":"2"}\n'])
})

test('an output that is not read fails the call, and the repeated call continues where it stopped', async () => {
  const out = output(2)
  const transport = openStdout(out)
  const records = ['1', '2', '3', '4', '5'].map((id) => record(id))
  await assert.rejects(transport.send(records, signal), /standard output is not read/)
  out.room = 1
  await assert.rejects(transport.send([...records], signal))
  out.room = 10
  await transport.send(records, signal)
  assert.equal(out.lines.length, 5)
  await transport.send([record('6')], signal)
  assert.equal(out.lines.length, 6)
})

test('a line that never fits is refused alone', async () => {
  const transport = openStdout(output(10))
  await assert.rejects(transport.send([record('1'), record('2', 'x'.repeat(2e6))], signal), (error) => {
    assert.ok(error instanceof RecordRefused)
    assert.equal(error.index, 1)
    return true
  })
})
