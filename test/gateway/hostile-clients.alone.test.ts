// A short pass of `npm run soak -- --hostile`, and its verdict.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { opensslMissing } from '#test/certificates'
import { ATTACK_NAMES } from '#test/hostile/hostile-clients'
import { hostileReport } from '#test/hostile/report'
import { hostileSoak } from '#test/hostile/soak'
import { levels, type Reading } from '#test/hostile/verdict'

const DURATION = 6_000

const isLinux = process.platform === 'linux'
const skip = isLinux ? opensslMissing : 'descriptors are counted in /proc'

test('normal requests are answered beside hostile clients of every kind, which leave no descriptor open', {
  skip,
}, async () => {
  const outcome = await hostileSoak(DURATION)
  assert.deepEqual(outcome.problems, [], hostileReport(outcome))
  assert.deepEqual(
    outcome.attacks.map(({ name, turns }) => [name, turns > 0]),
    ATTACK_NAMES.map((name) => [name, true]),
  )
})

describe('the verdict on a run', () => {
  const flat: Reading = { residentMiB: 400, descriptors: 200, turnMs: 30, delayMs: 60 }
  const run = (reading: (at: number) => Reading, count = 600) => Array.from({ length: count }, (_, at) => reading(at))
  const problems = (readings: readonly Reading[]) => levels(readings).flatMap(({ problem }) => problem ?? [])

  test('passes a flat run, with any warm-up', () => {
    const noisy = (at: number) =>
      at % 7 === 0 ? { residentMiB: 460, descriptors: 280, turnMs: 200, delayMs: 600 } : flat
    assert.deepEqual(problems(run(noisy)), [])
    assert.deepEqual(problems(run((at) => (at < 200 ? { ...flat, residentMiB: 100 + at } : flat))), [])
  })

  for (const [what, leak] of [
    ['resident memory', (at: number) => ({ ...flat, residentMiB: 400 + at / 3 })],
    ['descriptors', (at: number) => ({ ...flat, descriptors: 200 + at / 2 })],
    ['longest event-loop turn', (at: number) => ({ ...flat, turnMs: 30 + at / 2 })],
    ['event-loop delay (p99)', (at: number) => ({ ...flat, delayMs: at < 450 ? 60 : 900 })],
  ] as const) {
    test(`fails where ${what} grows`, () => {
      const found = problems(run(leak))
      assert.equal(found.length, 1)
      assert.match(found.join(), new RegExp(`^${RegExp.escape(what)} grew from `))
    })
  }

  test('fails a short run only where a value is far too high or missing', () => {
    assert.deepEqual(problems(run((at) => ({ ...flat, residentMiB: 100 + 40 * at }), 10)), [])
    assert.deepEqual(problems(run((at) => (at === 9 ? { ...flat, descriptors: 5_000 } : flat), 10)), [
      'descriptors reached 5000; at most 1000 is normal',
    ])
    assert.equal(problems([]).length, 4)
    assert.deepEqual(problems(run((at) => (at === 9 ? { ...flat, turnMs: Number.NaN } : flat), 10)), [
      'longest event-loop turn could not be read',
    ])
  })
})
