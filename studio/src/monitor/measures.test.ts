import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldLabel, measureOf } from './measures.ts'

const inDays = (days: number) => measureOf('notAfter', Date.now() / 1000 + days * 86_400 + 60)

test('an end is a date with the days until it; the last month is marked, and the time after it', () => {
  assert.match(inDays(90).text, /^\d{4}-\d\d-\d\d, in 90 days$/)
  assert.equal(inDays(90).level, undefined)
  assert.equal(inDays(29).level, 'warning')
  assert.match(inDays(1).text, /, in 1 day$/)
  assert.match(inDays(-2).text, /, expired$/)
  assert.equal(inDays(-2).level, 'danger')
})

test('flags are words, and those that need attention are marked', () => {
  assert.deepEqual(measureOf('stale', 1), { text: 'yes', level: 'danger', isNumber: false })
  assert.deepEqual(measureOf('stale', 0), { text: 'no', isNumber: false })
})

test('fields are named in words, with the unit in which their value is shown', () => {
  const shown = (field: string, value: number) => `${fieldLabel(field)}: ${measureOf(field, value).text}`
  assert.equal(shown('spooledBytes', 2_500_000), 'spooled (MB): 2.5')
  assert.equal(shown('p99Seconds', 0.25), 'p99 (ms): 250')
  assert.equal(shown('oldestSeconds', 12), 'oldest (s): 12')
  assert.equal(shown('failedLogins', 3), 'failed logins: 3')
  assert.equal(fieldLabel('notAfter'), 'expires')
})

test('a missing value is empty', () => {
  assert.deepEqual(measureOf('entries', null), { text: '', isNumber: false })
})
