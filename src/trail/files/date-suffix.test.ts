import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DateSuffix } from './date-suffix.ts'

const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const suffix = (pattern: string): DateSuffix => {
  const parsed = DateSuffix.parse(pattern)
  assert.ok(parsed instanceof DateSuffix, String(parsed))
  return parsed
}

describe('the date in the name of a rotated file', () => {
  for (const [pattern, text] of [
    ['-yyyy.MM.dd-HH.mm.ss', '-2026.01.02-03.04.05'],
    ['-yyyy.MM.dd-HH.mm.ss.SSS', '-2026.01.02-03.04.05.006'],
    ['_yyyy-MM-dd', '_2026-01-02'],
    ['.dd-MM-yyyy', '.02-01-2026'],
    ["-yyyy'W'MM'o''clock'", "-2026W01o'clock"],
  ] as const) {
    test(`${pattern} is ${text} in UTC, and is read back`, () => {
      assert.equal(suffix(pattern).format(time), text)
      assert.equal(suffix(pattern).order(text)?.number, 0)
      assert.equal(suffix(pattern).order(`${text}_12`)?.number, 12)
      assert.equal(suffix(pattern).order(`${text}x`), null)
    })
  }

  test('names are in the order of their dates, whatever the order of the pattern', () => {
    const german = suffix('.dd-MM-yyyy')
    const [first, second] = [german.order('.31-01-2026'), german.order('.02-02-2026')]
    assert.ok(first!.date < second!.date)
  })

  test('patterns that give no order or no file name are refused', () => {
    for (const [pattern, reason] of [
      ['-yyyy.MM.dd-hh', /unknown letters "hh"/],
      ['-yy', /unknown letters "yy"/],
      ['-HH.mm', /yyyy is needed beside mm/],
      ['-yyyy.dd', /MM is needed beside dd/],
      ['/yyyy', /slash/],
      ['', /a date is needed/],
      ['.old', /unknown letters/],
      ["'x", /quote is not closed/],
      ['yyyy-yyyy', /twice/],
    ] as const) {
      assert.match(String(DateSuffix.parse(pattern)), reason, pattern)
    }
  })
})
