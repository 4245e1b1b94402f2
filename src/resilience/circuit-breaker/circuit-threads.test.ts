import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runThreads } from '#test/circuit-thread'

const THREADS = 4
const openDuration = 3_600_000
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
const failureThen = (successes: number): readonly boolean[] => [true, ...Array<boolean>(successes).fill(false)]

test('no outcome of any thread is lost or counted twice', async () => {
  const times = 1_000
  const failures = THREADS * times
  const outcomes = failureThen(3)
  for (const [maxFailures, opened] of [
    [failures, 1],
    [failures + 1, 0],
  ] as const) {
    const settings = { maxFailures, openDuration, size: failures * outcomes.length + 1 }
    const { reports, circuit } = await runThreads(THREADS, { settings, outcomes, times })
    assert.equal(sum(reports.map((report) => report.opened)), opened)
    assert.equal(circuit.admit() === null, opened === 1)
  }
})

test('failures that never fall into one window do not open the circuit, for any interleaving of threads', async () => {
  // Each thread has at most one failure among any 8 requests, whatever the interleaving. More threads than
  // processors, so that some are preempted in the middle of a step.
  const threads = THREADS + 2
  const settings = { maxFailures: threads + 1, openDuration, size: 8 }
  for (let round = 0; round < 3; round++) {
    const { reports } = await runThreads(threads, { settings, outcomes: failureThen(8), times: 3_000 })
    assert.equal(sum(reports.map((report) => report.opened)), 0)
  }
})

test('consecutive failures: the circuit opens once for all threads, after exactly maxFailures failures', async () => {
  const settings = { maxFailures: 7, openDuration, size: null }
  const { reports, circuit } = await runThreads(THREADS, { settings, outcomes: [true], times: 1_000 })
  assert.equal(sum(reports.map((report) => report.opened)), 1)
  // Each of the other threads may have had one request in flight when the circuit opened.
  const recorded = sum(reports.map((report) => report.recorded))
  assert.ok(recorded >= 7 && recorded < 7 + THREADS, `${recorded}`)
  assert.equal(circuit.admit(), null)
})

test('a circuit that opens and closes continuously is opened and closed by exactly one thread each time', async () => {
  const settings = { maxFailures: 2, openDuration: 1, size: 5 }
  const { reports, circuit } = await runThreads(THREADS, { settings, outcomes: failureThen(1), times: 20_000 })
  const opened = sum(reports.map((report) => report.opened))
  assert.ok(opened > 1)
  assert.ok(sum(reports.map((report) => report.closed)) <= opened)
  // Two epochs per opening: one open, one closed.
  assert.ok([null, (opened * 2) % 2 ** 21].includes(circuit.admit()))
})
