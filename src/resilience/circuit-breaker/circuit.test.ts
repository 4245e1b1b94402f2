import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualClock } from '#test/build'
import { Circuit, type CircuitSettings } from './circuit.ts'
import { epochOf, nextEpoch } from './circuit-word.ts'

const circuitOf = (settings: CircuitSettings, clock = manualClock()) => {
  const memory = new SharedArrayBuffer(Circuit.bytes(settings))
  return { clock, memory, circuit: new Circuit(memory, settings, clock) }
}

/** Records outcomes of consecutive requests; returns whether the circuit is open afterwards. */
function after(circuit: Circuit, outcomes: string): boolean {
  for (const outcome of outcomes) circuit.record(circuit.admit()!, outcome === 'x')
  return circuit.admit() === null
}

test('opens when failures among the last size requests reach maxFailures', () => {
  const settings = { maxFailures: 3, openDuration: 1_000, size: 5 }
  for (const [outcomes, open] of [
    ['xx', false],
    ['xxx', true],
    ['x.x.x', true],
    ['x.x..x', false],
    ['x.x..xx', true],
    ['xx...xx', false],
    ['xx...xxx', true],
    ['.....xx...x.x.x', true],
  ] as const) {
    assert.equal(after(circuitOf(settings).circuit, outcomes), open, outcomes)
  }
})

test('without a window, opens after maxFailures failures in a row', () => {
  const settings = { maxFailures: 3, openDuration: 1_000, size: null }
  for (const [outcomes, open] of [
    ['xx.xx.xx', false],
    ['xx.xxx', true],
  ] as const) {
    assert.equal(after(circuitOf(settings).circuit, outcomes), open, outcomes)
  }
})

test('reports once that it opened and once that it closed', () => {
  const { circuit, clock } = circuitOf({ maxFailures: 2, openDuration: 1_000, size: 5 })
  const epoch = circuit.admit()!
  assert.deepEqual(
    ['x', '.', 'x', 'x'].map((outcome) => circuit.record(epoch, outcome === 'x')),
    [false, false, true, false],
  )
  assert.equal(circuit.closeIfDue(), false)
  clock.advance(1_000)
  assert.deepEqual([circuit.closeIfDue(), circuit.closeIfDue()], [true, false])
})

test('is open for openDuration, to the millisecond, then closed with an empty window', () => {
  for (const size of [null, 4]) {
    const { circuit, clock } = circuitOf({ maxFailures: 2, openDuration: 1_000, size })
    assert.equal(after(circuit, 'xx'), true)
    clock.advance(999)
    assert.equal(circuit.admit(), null)
    clock.advance(1)
    assert.notEqual(circuit.admit(), null)
    assert.equal(after(circuit, 'x'), false)
    assert.equal(after(circuit, 'x'), true)
  }
})

test('the outcome of a request counts only in the epoch in which it started', () => {
  for (const size of [null, 4]) {
    const { circuit, clock } = circuitOf({ maxFailures: 2, openDuration: 1_000, size })
    const late = circuit.admit()!
    assert.equal(after(circuit, 'xx'), true)
    assert.equal(circuit.record(late, true), false)
    clock.advance(1_000)
    assert.equal(after(circuit, 'x'), false)
    assert.equal(circuit.record(late, true), false)
    assert.equal(circuit.record(late, false), false)
    assert.notEqual(circuit.admit(), null)
    assert.equal(after(circuit, 'x'), true)
  }
})

test('two circuits on the same memory share their state', () => {
  const settings = { maxFailures: 3, openDuration: 1_000, size: 10 }
  const { circuit, memory, clock } = circuitOf(settings)
  const other = new Circuit(memory, settings, clock)
  after(circuit, 'xx')
  assert.equal(after(other, 'x'), true)
  assert.equal(circuit.admit(), null)
})

test('the next unit completes the update of a unit that died after its first step', () => {
  const settings = { maxFailures: 2, openDuration: 1_000, size: 4 }
  for (const [outcome, open] of [
    ['x', true],
    ['.', false],
  ] as const) {
    const { circuit, memory } = circuitOf(settings)
    const words = new BigInt64Array(memory)
    after(circuit, 'x')
    const state = words[0]!
    after(circuit, outcome)
    // The slot is taken and the state not advanced.
    words[0] = state
    circuit.record(epochOf(state), false)
    assert.equal(circuit.admit() === null, open)
    if (!open) assert.equal(words[0]! - state, 2n)
  }
})

test('epochs wrap around to an even one', () => {
  assert.equal(nextEpoch(2 ** 21 - 1), 0)
})

/** Reference implementation of the specification. */
class Reference {
  readonly #settings: CircuitSettings
  #epoch = 0
  #until: number | null = null
  #outcomes: boolean[] = []

  constructor(settings: CircuitSettings) {
    this.#settings = settings
  }

  admit(now: number): number | null {
    if (this.#until !== null && now >= this.#until) {
      this.#until = null
      this.#outcomes = []
      this.#epoch++
    }
    return this.#until === null ? this.#epoch : null
  }

  record(epoch: number, failed: boolean, now: number): void {
    if (this.admit(now) !== epoch) return
    const { maxFailures, size, openDuration } = this.#settings
    this.#outcomes.push(failed)
    const counted =
      size === null ? this.#outcomes.slice(this.#outcomes.lastIndexOf(false) + 1) : this.#outcomes.slice(-size)
    if (counted.filter(Boolean).length >= maxFailures) this.#until = now + openDuration
  }
}

test('matches the reference implementation for any order of requests, outcomes and time', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(5), failed: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), time: fc.integer({ min: 1, max: 150 }) }) },
  )
  const settings = fc
    .record({ maxFailures: fc.integer({ min: 1, max: 4 }), more: fc.option(fc.integer({ min: 1, max: 5 })) })
    .map(({ maxFailures, more }) => ({
      maxFailures,
      openDuration: 100,
      size: more === null ? null : maxFailures + more,
    }))
  fc.assert(
    fc.property(settings, fc.array(step, { minLength: 20, maxLength: 120 }), (chosen, steps) => {
      const { circuit, clock } = circuitOf(chosen)
      const reference = new Reference(chosen)
      const underWay: { epoch: number; expected: number }[] = []
      for (const each of steps) {
        if (each.do === 'wait') clock.advance(each.time)
        if (each.do === 'end') {
          const [request] = underWay.splice(each.which, 1)
          if (request === undefined) continue
          circuit.record(request.epoch, each.failed)
          reference.record(request.expected, each.failed, clock.monotonic())
        }
        const epoch = circuit.admit()
        const expected = reference.admit(clock.monotonic())
        assert.equal(epoch === null, expected === null)
        if (epoch !== null && expected !== null && each.do === 'ask') underWay.push({ epoch, expected })
      }
    }),
    { numRuns: 300 },
  )
})
