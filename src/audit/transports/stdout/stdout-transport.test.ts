import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStdout } from '#audit'
import type { QueuedRecord } from '#durable-queue'
import { LinesNotWritten } from '#logging'

const { signal } = new AbortController()
const record = (id: string): QueuedRecord => ({ topic: 'access', id, text: `{"_id":"${id}"}`, time: 0 })
const LINE = '{"_id":"1"}\n'.length

/** An output that begins so many lines and fails then. */
class LimitedOutput {
  /** Null without a limit. */
  lines: number | null = null
  text = ''
  calls = 0

  async send(bytes: Uint8Array): Promise<void> {
    this.calls++
    const begun = Math.min(bytes.length, (this.lines ?? Number.POSITIVE_INFINITY) * LINE)
    this.text += Buffer.from(bytes).toString('utf8', 0, begun)
    if (this.lines !== null) throw new LinesNotWritten(Object.assign(new Error('full'), { code: 'ENOSPC' }), begun)
  }

  get ids(): string[] {
    const lines = this.text.split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line)._id as string)
  }
}

test('every record is a line, and a call of the output has all of them', async () => {
  const output = new LimitedOutput()
  await openStdout(output).send([record('1'), record('2')], signal)
  assert.equal(output.text, '{"_id":"1"}\n{"_id":"2"}\n')
  assert.equal(output.calls, 1)
})

test('a failed write fails the call with its code, and the repeated call continues where it stopped', async () => {
  const output = new LimitedOutput()
  const transport = openStdout(output)
  const records = ['1', '2', '3', '4', '5'].map(record)
  output.lines = 2
  await assert.rejects(transport.send(records, signal), { code: 'ENOSPC' })
  assert.deepEqual(output.ids, ['1', '2'])
  output.lines = 1
  await assert.rejects(transport.send([...records], signal))
  output.lines = 0
  await assert.rejects(transport.send(records, signal))
  assert.deepEqual(output.ids, ['1', '2', '3'])
  output.lines = null
  await transport.send(records, signal)
  await transport.send([record('6')], signal)
  assert.deepEqual(output.ids, ['1', '2', '3', '4', '5', '6'])
})

test('a call whose last line was begun is repeated until the output has written its rest', async () => {
  const output = new LimitedOutput()
  const transport = openStdout(output)
  output.lines = 1
  await assert.rejects(transport.send([record('1')], signal))
  output.lines = 0
  await assert.rejects(transport.send([record('1')], signal))
  output.lines = null
  await transport.send([record('1')], signal)
  assert.deepEqual(output.ids, ['1'])
})

test('other records after a failed call are written from the first one', async () => {
  const output = new LimitedOutput()
  const transport = openStdout(output)
  output.lines = 1
  await assert.rejects(transport.send([record('2'), record('3')], signal))
  output.lines = null
  await transport.send([record('1'), record('2')], signal)
  assert.deepEqual(output.ids, ['2', '1', '2'])
})
