// Members of java.time for each unit, as in Java 17.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runGroovy } from '../../testing/run-groovy.ts'

for (const [script, expected] of [
  ['java.time.Duration.ofHours(2).minusMinutes(30).plusMillis(5).minusDays(1).toString()', 'PT-22H-29M-59.995S'],
  [
    "java.time.LocalDateTime.parse('2024-03-10T12:00:00').minusWeeks(2).plusNanos(5).toString()",
    '2024-02-25T12:00:00.000000005',
  ],
  ['java.time.Instant.EPOCH.minusNanos(1).plusSeconds(1).toString()', '1970-01-01T00:00:00.999999999Z'],
  ['java.time.LocalTime.NOON.minusNanos(1).minus(java.time.Duration.ofHours(13)).toString()', '22:59:59.999999999'],
  [
    'def a = java.time.LocalTime.of(9, 0), b = a.plusHours(1); [a.isBefore(b), a.isAfter(b), a <=> b].toString()',
    '[true, false, -1]',
  ],
] as const) {
  test(`${script} is ${expected}`, async () => {
    assert.equal((await runGroovy(script)).text, expected)
  })
}
