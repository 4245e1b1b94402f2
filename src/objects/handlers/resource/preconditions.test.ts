import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '#http'
import { httpDate, isRangeApplicable, preconditions, validatorsOf } from './preconditions.ts'

const TAG = '"c-17"'
const LAST_MODIFIED = 'Tue, 02 Jan 2024 03:04:05 GMT'
const validators = { etag: TAG, modified: Date.UTC(2024, 0, 2, 3, 4, 5) }

const headersOf = (fields: Record<string, string | string[]>) =>
  new Headers(
    Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const)),
  )

const conditions: readonly [Record<string, string | string[]>, number][] = [
  [{}, 200],
  [{ 'If-None-Match': TAG }, 304],
  [{ 'If-None-Match': `W/${TAG}` }, 304],
  [{ 'If-None-Match': `"a", ${TAG}` }, 304],
  [{ 'If-None-Match': ['"a"', TAG] }, 304],
  [{ 'If-None-Match': ' * ' }, 304],
  [{ 'If-None-Match': '"a"' }, 200],
  [{ 'If-None-Match': 'c-17' }, 200],
  [{ 'If-None-Match': '"a"', 'If-Modified-Since': LAST_MODIFIED }, 200],
  [{ 'If-Modified-Since': LAST_MODIFIED }, 304],
  [{ 'If-Modified-Since': 'Wed, 03 Jan 2024 03:04:05 GMT' }, 304],
  [{ 'If-Modified-Since': 'Tue, 02 Jan 2024 03:04:04 GMT' }, 200],
  [{ 'If-Modified-Since': 'tomorrow' }, 200],
  [{ 'If-Modified-Since': [LAST_MODIFIED, LAST_MODIFIED] }, 200],
  [{ 'If-Match': TAG }, 200],
  [{ 'If-Match': '*' }, 200],
  [{ 'If-Match': '"a"' }, 412],
  [{ 'If-Match': `W/${TAG}` }, 412],
  [{ 'If-Match': TAG, 'If-Unmodified-Since': 'Mon, 01 Jan 2024 03:04:05 GMT' }, 200],
  [{ 'If-Match': TAG, 'If-None-Match': TAG }, 304],
  [{ 'If-Unmodified-Since': LAST_MODIFIED }, 200],
  [{ 'If-Unmodified-Since': 'Mon, 01 Jan 2024 03:04:05 GMT' }, 412],
  [{ 'If-Unmodified-Since': 'yesterday' }, 200],
]

for (const [fields, outcome] of conditions) {
  test(`${JSON.stringify(fields)} gives ${outcome}`, () => {
    assert.equal(preconditions(headersOf(fields), validators), outcome)
  })
}

test('weak comparison for If-None-Match, strong comparison for If-Match and If-Range', () => {
  const weak = { ...validators, etag: `W/${TAG}` }
  assert.equal(preconditions(headersOf({ 'If-None-Match': `W/${TAG}` }), weak), 304)
  assert.equal(preconditions(headersOf({ 'If-Match': `W/${TAG}` }), weak), 412)
  assert.equal(preconditions(headersOf({ 'If-Match': TAG }), weak), 412)
  assert.equal(isRangeApplicable(headersOf({ 'If-Range': `W/${TAG}` }), weak), false)
  assert.equal(isRangeApplicable(headersOf({ 'If-Range': LAST_MODIFIED }), weak), false)
})

test('a range applies without If-Range, or where If-Range matches', () => {
  const wanted = (value: string | string[]) => isRangeApplicable(headersOf({ 'If-Range': value }), validators)
  assert.equal(isRangeApplicable(headersOf({}), validators), true)
  assert.equal(wanted(TAG), true)
  assert.equal(wanted(LAST_MODIFIED), true)
  for (const other of ['"a"', `W/${TAG}`, 'Wed, 03 Jan 2024 03:04:05 GMT', 'x', [TAG, TAG]])
    assert.equal(wanted(other), false)
})

test('an unchanged file has a strong tag of size and time', () => {
  const now = Date.UTC(2024, 0, 31)
  const changed = BigInt(Date.UTC(2024, 0, 2, 3, 4, 5)) * 1_000_000n + 678_901_234n
  assert.deepEqual(validatorsOf({ size: 255n, mtimeNs: changed }, now), {
    etag: `"ff-${changed.toString(16)}"`,
    modified: validators.modified,
  })
})

test('a file that has just changed has a weak tag, and Last-Modified is never in the future', () => {
  const now = Date.UTC(2024, 0, 31)
  const at = (time: number) => validatorsOf({ size: 1n, mtimeNs: BigInt(time) * 1_000_000n }, now)
  assert.match(at(now - 1_999).etag, /^W\/"/)
  assert.match(at(now - 2_000).etag, /^"/)
  assert.match(at(now + 60_000).etag, /^W\/"/)
  assert.equal(at(now + 60_000).modified, now)
})

test('dates are accepted in the three formats of HTTP only', () => {
  const time = Date.UTC(1994, 10, 6, 8, 49, 37)
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])
    assert.equal(httpDate(text), time, text)
  for (const text of ['', '1994-11-06', '06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 CET', '784111777'])
    assert.equal(httpDate(text), null, text)
})
