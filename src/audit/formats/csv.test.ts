import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { slowness, threadTime } from '#test/loop-watch'
import { csvRows, formattingProblem } from './csv.ts'

const FORMATTING = { quoteChar: '"', delimiterChar: ',', formulaProtection: true, isChained: false }
const text = { type: 'string' }
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    timestamp: text,
    _id: text,
    http: { type: 'object', properties: { request: { properties: { method: text, headers: { type: 'object' } } } } },
    trackingIds: { type: 'array', items: text },
    elapsed: { type: 'integer' },
  },
}

/** Reads a row as RFC 4180 says. */
function cells(row: string): string[] {
  return Array.from(row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g), (match) =>
    (match[1] ?? match[2] ?? '').replaceAll('""', '"'),
  )
}

describe('rows of CSV', () => {
  const rows = csvRows(SCHEMA, FORMATTING)

  test('have a column for each field of the schema, the id first', () => {
    assert.equal(rows.header, '"_id","timestamp","http.request.method","http.request.headers","trackingIds","elapsed"')
    assert.equal(
      rows.row({
        _id: '1',
        http: { request: { method: 'GET', headers: { host: ['a', 'b'] } } },
        trackingIds: ['x'],
        elapsed: -3,
        unknown: 1,
      }),
      '"1",,"GET","{""host"":[""a"",""b""]}","[""x""]","-3"',
    )
  })

  test('an object with further members is one cell', () => {
    const schema = { properties: { detail: { properties: { reason: text }, additionalProperties: true } } }
    const open = csvRows(schema, FORMATTING)
    assert.equal(open.header, '"_id","detail"')
    assert.equal(open.row({ _id: '1', detail: { reason: 'a', more: 1 } }), '"1","{""reason"":""a"",""more"":1}"')
  })

  test('a value of another shape than the schema says is empty or JSON', () => {
    assert.equal(rows.row({ _id: '1', http: 'x', timestamp: { a: 1 } }), '"1","{""a"":1}",,,,')
    assert.equal(rows.row({ _id: null }), ',,,,,')
  })

  test('B87: no value ends the row, moves a terminal or leaves its cell', () => {
    const hostile = 'a"b,c\r\nd\u0000\u001b[2J\u2028\u202e\ud800"'
    const row = rows.row({ _id: hostile, timestamp: '"' })
    assert.doesNotMatch(row, /[\u0000-\u001f\u2028\u202e]/)
    assert.equal(cells(row)[0], 'a"b,c\\r\\nd\\u0000\\u001b[2J\\u2028\\u202e\\ud800"')
    assert.equal(cells(row).length, 6)
  })

  test('text that a spreadsheet would evaluate gets an apostrophe, unless that is switched off', () => {
    for (const formula of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=cmd|" /C calc"!A0', '＝1', '"=1', ' =1']) {
      assert.ok(rows.row({ _id: formula }).startsWith(`"'`), formula)
      const open = csvRows(SCHEMA, { ...FORMATTING, formulaProtection: false })
      assert.ok(!open.row({ _id: formula }).startsWith(`"'`), formula)
    }
    assert.ok(rows.row({ _id: 'a=1' }).startsWith('"a=1"'))
  })

  test('no part of a value begins with a formula where spreadsheets expect another separator', () => {
    const signs = [...'=+-@＝＋－＠']
    const begins = ['', 'x', "'", '"', ' ', '\u00a0', "'' "]
    const texts = [...',;|\t:'].flatMap((separator) =>
      begins.flatMap((begin) => signs.map((sign) => `x${separator}${begin}${sign}HYPERLINK("a";"b")`)),
    )
    for (const formatting of [
      FORMATTING,
      { ...FORMATTING, delimiterChar: ';' },
      { ...FORMATTING, quoteChar: "'", delimiterChar: '|' },
      { ...FORMATTING, quoteChar: '\\', delimiterChar: ':' },
    ]) {
      const { row } = csvRows(SCHEMA, formatting)
      for (const value of texts) {
        for (const separator of [...',;|\t', formatting.delimiterChar]) {
          const written = row({
            _id: value,
            http: { request: { headers: { [value]: [value] } } },
            trackingIds: [value, value],
          })
          const parts = written.split(separator).map((part) => part.replace(/^[" \u00a0]*/, ''))
          const evaluated = parts.filter((part) => signs.includes(part[0] as string))
          assert.deepEqual(evaluated, [], `${value}: ${written}`)
        }
      }
    }
  })

  test('protected values can be read: an apostrophe behind each separator is removed, and JSON is JSON', () => {
    const values = ['=1', "'=1", "''=1", 'a,b', 'a;-1,\'+2|" @3', "it's", '+49 1', ',,==', "a;'b", "-'-"]
    for (const value of values) {
      const [id, headers, list] = [0, 3, 4].map(
        (at) =>
          cells(rows.row({ _id: value, http: { request: { headers: { [value]: [value] } } }, trackingIds: [value] }))[
            at
          ] as string,
      ) as [string, string, string]
      assert.equal(id.replaceAll(/(^|[,;|])'(?=["' ]*[=+\-@])/g, '$1'), value)
      assert.deepEqual(JSON.parse(headers), { [value]: [value] })
      assert.deepEqual(JSON.parse(list), [value])
    }
    assert.equal(cells(rows.row({ _id: '1', trackingIds: ['a,=1', -3] }))[4], '["a,\\u003d1",-3]')
  })

  test('protection of long values takes linear time', () => {
    const long = 100_000
    const texts = [
      '"'.repeat(long),
      ' '.repeat(long),
      ';'.repeat(long),
      ',"'.repeat(long),
      ",'".repeat(long),
      '\t'.repeat(long),
    ]
    const { row } = csvRows(SCHEMA, { ...FORMATTING, quoteChar: ';' })
    const start = threadTime()
    for (const _id of texts) row({ _id, trackingIds: [_id] })
    assert.ok(threadTime() - start < 1_000 * slowness())
  })

  test('other characters quote and delimit; a chain adds two columns to the header', () => {
    const other = csvRows(SCHEMA, { ...FORMATTING, quoteChar: "'", delimiterChar: ';', isChained: true })
    assert.ok(other.header.endsWith(";'elapsed';'HMAC';'SIGNATURE'"))
    assert.ok(other.row({ _id: "o'c" }).startsWith("'o''c';"))
  })

  test('characters that occur in plain text are refused', () => {
    assert.equal(formattingProblem('"', ','), null)
    assert.equal(formattingProblem("'", '\t'), null)
    for (const [quote, delimiter] of [
      ['', ','],
      ['""', ','],
      ['"', 'a'],
      ['"', '"'],
      ['"', '\n'],
      ['"', '.'],
      ['ä', ','],
    ] as const) {
      assert.notEqual(formattingProblem(quote, delimiter), null, `${quote} ${delimiter}`)
    }
  })
})
