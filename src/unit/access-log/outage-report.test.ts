import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { OutageReport } from './outage-report.ts'

/** A report whose clock and timers the test advances. */
function reporting({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] })
  const log = memoryLog()
  let time = 0
  const states: string[] = []
  const report = new OutageReport({
    destination: 'logs/access.log',
    clock: { now: () => time, monotonic: () => time },
    logger: createLogger({ destination: log, format: 'json' }),
    states: { report: ({ object, state }) => void states.push(`${object} ${state}`), withdraw: () => {} },
  })
  const advance = (milliseconds: number) => {
    time += milliseconds
    mock.timers.tick(milliseconds)
  }
  const entries = () => log.entries.map(({ code, lines, message }) => (code === undefined ? message : [code, lines]))
  return { report, log, states, advance, entries }
}

const FULL = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

test('an outage is reported once, with its error, and at its end with the lines that it lost', (t) => {
  const { report, log, states, advance, entries } = reporting(t)
  report.failed(FULL)
  const begin = log.entries[0]!
  assert.deepEqual(
    [begin['code'], begin.level, begin['destination'], (begin['error'] as Error).message],
    ['GW_UNIT_ACCESS_LOG_FAILING', 'warn', 'logs/access.log', FULL.message],
  )
  assert.deepEqual(states, ['accessLog degraded'])
  for (let second = 0; second < 60; second++) {
    report.failed(FULL)
    report.lose(100)
    advance(1_000)
  }
  assert.equal(log.entries.length, 1)
  assert.equal(report.lost, 6_000)
  report.drained()
  assert.deepEqual(entries().slice(1), [['GW_UNIT_ACCESS_LINES_LOST', 6_000]])
  assert.deepEqual(states, ['accessLog degraded', 'accessLog up'])
  report.drained()
  report.close()
  assert.equal(log.entries.length, 2)
})

test('an outage without a lost line ends with an information', (t) => {
  const { report, advance, entries } = reporting(t)
  report.failed(FULL)
  advance(20_000)
  report.drained()
  assert.equal(entries()[1], 'the access log is written again, and no line was lost')
})

test('losses that follow each other within 10 seconds are one outage, and each line is counted once', (t) => {
  const { report, states, advance, entries } = reporting(t)
  for (const lines of [80, 3]) {
    report.lose(lines)
    advance(1_000)
    report.drained()
    advance(1_000)
  }
  assert.deepEqual(states, ['accessLog degraded'])
  advance(6_000)
  assert.deepEqual(entries(), [
    ['GW_UNIT_ACCESS_LOG_FAILING', undefined],
    ['GW_UNIT_ACCESS_LINES_LOST', 83],
  ])
  report.lose(5)
  advance(1_000)
  report.drained()
  advance(9_000)
  assert.deepEqual(entries().slice(2), [
    ['GW_UNIT_ACCESS_LOG_FAILING', undefined],
    ['GW_UNIT_ACCESS_LINES_LOST', 5],
  ])
})

test('a failure after the buffer was written continues the outage', (t) => {
  const { report, states, advance, entries } = reporting(t)
  report.failed(FULL)
  report.drained()
  advance(9_000)
  report.failed(FULL)
  advance(9_000)
  assert.deepEqual([entries().length, states], [1, ['accessLog degraded']])
  report.drained()
  assert.deepEqual([entries().length, states], [2, ['accessLog degraded', 'accessLog up']])
})

test('the lines that an outage lost so far are reported when the unit ends', (t) => {
  const { report, entries } = reporting(t)
  report.failed(FULL)
  report.lose(7)
  report.close()
  assert.deepEqual(entries().slice(1), [['GW_UNIT_ACCESS_LINES_LOST', 7]])
})
