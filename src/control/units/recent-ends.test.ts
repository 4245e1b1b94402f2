import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { waitUntil } from '#test/waiting'
import { RecentEnds } from './recent-ends.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

function counting(window?: number) {
  const log = memoryLog()
  let now = 0
  const ends = new RecentEnds(createLogger({ destination: log }), { monotonic: () => now }, window)
  const messages = () => log.entries.map(({ code, message }) => code ?? message)
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { ends, messages, pass }
}

test('a unit that is ended once a minute is an alarm with the fifth end, once', () => {
  const { ends, messages, pass } = counting()
  for (let end = 1; end <= 4; end++) {
    ends.add()
    pass(MINUTE)
  }
  assert.deepEqual([ends.check, messages()], [null, []])
  for (let end = 5; end <= 8; end++) {
    ends.add()
    pass(MINUTE)
  }
  assert.deepEqual(messages(), ['GW_CONTROL_UNITS_END_REPEATEDLY'])
  assert.deepEqual(ends.check, {
    name: 'units',
    ok: true,
    state: 'degraded',
    detail: 'units ended 8 times within an hour',
  })
})

test('ends of more than an hour ago do not count', () => {
  const { ends, messages, pass } = counting()
  for (let end = 1; end <= 20; end++) {
    ends.add()
    pass(HOUR / 4)
  }
  assert.deepEqual([ends.count, ends.check, messages()], [3, null, []])
})

test('the alarm ends with an hour of few ends, and is raised again by the next ones', async () => {
  const { ends, messages, pass } = counting(50)
  for (let end = 1; end <= 5; end++) ends.add()
  pass(51)
  await waitUntil('the end of the alarm', () => messages().includes('units no longer end repeatedly'))
  assert.equal(ends.check, null)
  for (let end = 1; end <= 5; end++) ends.add()
  assert.equal(messages().filter((message) => message === 'GW_CONTROL_UNITS_END_REPEATEDLY').length, 2)
})
