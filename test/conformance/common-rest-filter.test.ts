// The specification's "Query filter grammar", row by row, in URL-encoded filters.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { filled } from '#test/crest-collection'

const people: readonly JsonObject[] = [
  { _id: 'anna', name: 'Anna', age: 41, on: true, tags: ['red', 'Blue'], at: { city: 'Oslo' }, none: null },
  { _id: 'bert', name: 'Bert "B" \\ Ü', age: 7.5, on: false, tags: [], 'a b': 1, 'c/d': 2, 'e~f': 3, 'g%h': 4 },
  { _id: 'carl', name: "Carl's", age: -3, at: { city: 'Bergen' } },
]

async function find(filter: string): Promise<string> {
  const { status, json } = await (await filled(...people))('GET', `/things?_queryFilter=${encodeURIComponent(filter)}`)
  if (status !== 200) return String(status)
  return (json['results'] as JsonObject[]).map(({ _id: id }) => id).join(' ')
}

/** Rows of the grammar, each with filters and the ids that match. */
const grammar: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'Expr: OrExpr': [['on eq true or on eq false and age gt 100', 'anna']],
  'OrExpr: AndExpr, optionally repeated with "or"': [
    ['_id eq "anna" or _id eq "bert" or _id eq "carl"', 'anna bert carl'],
    ['_id eq "anna" OR false', 'anna'],
    ['true or', '400'],
    ['or true', '400'],
  ],
  'AndExpr: NotExpr, optionally repeated with "and"': [
    ['age lt 50 and age gt 0 and on eq true', 'anna'],
    ['true AND on eq false', 'bert'],
    ['true and', '400'],
    ['true and and true', '400'],
  ],
  'NotExpr: "!" PrimaryExpr, or PrimaryExpr': [
    ['!(on eq true)', 'bert carl'],
    ['! on eq true', 'bert carl'],
    ['!on eq true', 'bert carl'],
    ['!true', ''],
    ['!false', 'anna bert carl'],
    ['!!true', '400'],
    ['!', '400'],
    ['not (true)', '400'],
  ],
  'PrimaryExpr: "(" Expr ")", ComparisonExpr, PresenceExpr, LiteralExpr': [
    ['((on eq true) or (age lt 0))', 'anna carl'],
    ['(true)', 'anna bert carl'],
    ['(true', '400'],
    ['true)', '400'],
    ['()', '400'],
    ['', '400'],
    [`${'('.repeat(256)}true${')'.repeat(256)}`, 'anna bert carl'],
    [`${'('.repeat(257)}true${')'.repeat(257)}`, '400'],
  ],
  'ComparisonExpr: JSON pointer, operator name, JsonValue': [
    ['/at/city eq "Oslo"', 'anna'],
    ['/and eq 1 or /or pr', ''],
    ['and eq 1', '400'],
    ['at/city eq "Oslo"', 'anna'],
    ['at/city/ eq "Oslo"', 'anna'],
    ['tags/0 eq "red"', 'anna'],
    ['tags eq "blue"', 'anna'],
    ['a%20b eq 1', 'bert'],
    ['c~1d eq 2', 'bert'],
    ['e~0f eq 3', 'bert'],
    ['g%25h eq 4', 'bert'],
    ['missing/deeper eq 1', ''],
    ['__proto__ pr', ''],
    ['age', '400'],
    ['age eq', '400'],
    ['age 41', '400'],
    ['e~f eq 3', '400'],
    ['g%h eq 4', '400'],
    ['"age" eq 41', '400'],
    ['age eq 41 42', '400'],
    [`${'a/'.repeat(257)}a eq 1`, '400'],
  ],
  'PresenceExpr: true when the pointer is present and its value is not null': [
    ['at pr', 'anna carl'],
    ['/at/city PR', 'anna carl'],
    ['none pr', ''],
    ['!(none pr)', 'anna bert carl'],
    ['tags pr', 'anna bert'],
    ['pr', '400'],
  ],
  'LiteralExpr: true (match all) or false (match nothing)': [
    ['true', 'anna bert carl'],
    ['false', ''],
    ['TRUE', 'anna bert carl'],
    ['true eq 1', '400'],
  ],
  'Operator names: eq equals': [
    ['name eq "ANNA"', 'anna'],
    ['age eq 7.5', 'bert'],
    ['on eq false', 'bert'],
    ['age eq "41"', ''],
  ],
  'Operator names: co contains': [
    ['name co "NN"', 'anna'],
    ['tags co "lu"', 'anna'],
    ['age co 41', 'anna'],
  ],
  'Operator names: sw starts with': [
    ['name sw "b"', 'bert'],
    ['name sw "nna"', ''],
    ['tags sw "BL"', 'anna'],
  ],
  'Operator names: lt less than': [
    ['age lt 7.5', 'carl'],
    ['name lt "b"', 'anna'],
    ['on lt true', 'bert'],
  ],
  'Operator names: le less than or equal': [
    ['age le 7.5', 'bert carl'],
    ['name le "anna"', 'anna'],
  ],
  'Operator names: gt greater than': [
    ['age gt 7.5', 'anna'],
    ['name gt "bert"', 'bert carl'],
  ],
  'Operator names: ge greater than or equal': [
    ['age ge 7.5', 'anna bert'],
    ['name ge "bert"', 'bert carl'],
  ],
  'Operator names: an extended operator, an ASCII string without white space': [
    ['age near 40', ''],
    ['!(age near 40)', ''],
    ['on eq true or age near 40', 'anna'],
    ['on eq true and !(age near 40)', ''],
    ['age ~= 40', ''],
    ['age é 40', '400'],
    [`age ${'x'.repeat(65)} 40`, '400'],
  ],
  'JsonValue: number': [
    ['age eq 41', 'anna'],
    ['age eq 41.0', 'anna'],
    ['age eq 4.1e1', 'anna'],
    ['age eq -3', 'carl'],
    ['age eq +41', '400'],
    ['age eq 041', '400'],
    ['age eq 41.', '400'],
    ['age eq .5', '400'],
    ['age eq 1e999', '400'],
    ['age eq 0x29', '400'],
    ['age eq NaN', '400'],
  ],
  'JsonValue: boolean': [
    ['on eq true', 'anna'],
    ['on eq maybe', '400'],
    ['on eq null', '400'],
  ],
  'JsonValue: a double-quoted UTF-8 string with the escapes of RFC 7159': [
    ['name co "\\"B\\""', 'bert'],
    ['name co "\\\\"', 'bert'],
    ['name co "\\u00dc"', 'bert'],
    ['name co "ü"', 'bert'],
    ['name co "\\/"', ''],
    ['name eq "carl\'s"', 'carl'],
    ["name eq 'carl\\'s'", 'carl'],
    ['name eq "Anna', '400'],
    ['name eq "Anna"x', '400'],
    ['name eq "\\x"', '400'],
    ['name eq "\\u00"', '400'],
    ['name eq "\\"', '400'],
  ],
}

for (const [row, filters] of Object.entries(grammar)) {
  describe(row, () => {
    for (const [filter, found] of filters) {
      const shown = filter.length > 60 ? `${filter.slice(0, 60)}...` : filter
      test(`${shown} ${found === '400' ? 'is 400' : `finds ${found || 'nothing'}`}`, async () => {
        assert.equal(await find(filter), found)
      })
    }
  })
}

test('in a URL white space may be + or %20, a backslash is %5C', async () => {
  const send = await filled(...people)
  for (const filter of ['name+co+%22%5C%5C%22', 'name%20co%20%22%5c%5c%22']) {
    const { json } = await send('GET', `/things?_queryFilter=${filter}`)
    assert.equal(json['resultCount'], 1, filter)
  }
})

const messages: readonly (readonly [string, RegExp])[] = [
  ['true or or true', /character 9: expected a field/],
  ['and true', /character 1: expected a field; one of this name is written "\/and"/],
  ['name eq', /character 8: expected a value after the operator, got the end/],
  ['name eq "x', /character 9: this string has no closing quote/],
  ['(true', /character 6: expected "\)", got the end/],
  ['a~b eq 1', /character 1: expected a JSON pointer/],
]
for (const [filter, message] of messages) {
  test(`${filter} is rejected with the position of the error`, async () => {
    const { json } = await (await filled())('GET', `/things?_queryFilter=${encodeURIComponent(filter)}`)
    assert.match(String(json['message']), message)
  })
}

test('a filter of more than 16,384 characters is 400', async () => {
  assert.equal(await find(`name eq "${'x'.repeat(16_384)}"`), '400')
})
