import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from './field.ts'
import { boolean, decode, duration, integer, json, number, oneOf, regex, secretId, string, url } from './index.ts'

/** The decoded value, or the messages of its problems. */
function read(field: Field, value: unknown): unknown {
  const { value: decoded, problems } = decode(field, value, '')
  return problems.length === 0 ? decoded : problems.map(({ message }) => message).join('; ')
}

test('string accepts text only, and no empty text with nonEmpty', () => {
  assert.equal(read(string(), 'a'), 'a')
  assert.equal(read(string(), ''), '')
  assert.equal(read(string(), 5), 'expected a string, got 5')
  assert.equal(read(string({ nonEmpty: true }), ''), 'expected a string that is not empty')
  assert.equal(read(string(), undefined), 'expected a string; this field is required')
})

test('integer checks its bounds and accepts digits as text', () => {
  assert.equal(read(integer(), -3), -3)
  assert.equal(read(integer(), '8080'), 8080)
  assert.equal(read(integer(), '-1'), -1)
  assert.equal(read(integer(), 1.5), 'expected an integer, got 1.5')
  assert.equal(read(integer(), '1e3'), 'expected an integer, got "1e3"')
  assert.equal(read(integer(), ''), 'expected an integer, got ""')
  assert.equal(read(integer(), true), 'expected an integer, got true')
  assert.equal(read(integer(), 2 ** 53), 'expected an integer, got 9007199254740992')
  assert.equal(read(integer({ min: 1 }), 0), 'expected an integer of at least 1, got 0')
  assert.equal(read(integer({ max: 9 }), 10), 'expected an integer of at most 9, got 10')
  assert.equal(read(integer({ min: 1, max: 9 }), '10'), 'expected an integer from 1 to 9, got "10"')
})

test('number is finite, within its bounds, and no empty text', () => {
  assert.equal(read(number(), 1.5), 1.5)
  assert.equal(read(number(), '0.25'), 0.25)
  assert.equal(read(number(), ' '), 'expected a number, got " "')
  assert.equal(read(number(), Number.NaN), 'expected a number, got NaN')
  assert.equal(read(number(), 'Infinity'), 'expected a number, got "Infinity"')
  assert.equal(read(number({ min: 0, max: 1 }), 1.5), 'expected a number from 0 to 1, got 1.5')
})

test('boolean accepts true and false as text, and no other truthy value', () => {
  assert.equal(read(boolean(), false), false)
  assert.equal(read(boolean(), 'TRUE'), true)
  assert.equal(read(boolean(), 'false'), false)
  assert.equal(read(boolean(), 1), 'expected true or false, got 1')
  assert.equal(read(boolean(), 'yes'), 'expected true or false, got "yes"')
})

test('duration is milliseconds, unlimited is Infinity', () => {
  assert.equal(read(duration(), '10 seconds'), 10_000)
  assert.equal(read(duration(), 'zero'), 0)
  assert.equal(read(duration(), 'unlimited'), Number.POSITIVE_INFINITY)
  assert.equal(read(duration(), '10 parsecs'), 'expected a duration such as "10 seconds", got "10 parsecs"')
  assert.equal(read(duration(), 10), 'expected a duration such as "10 seconds", got 10')
})

test('a duration is checked against the bounds of its field', () => {
  const bounded = duration({ min: '1 second', max: '1 day', zero: false })
  assert.equal(read(bounded, '1 day'), 86_400_000)
  assert.equal(read(bounded, 'disabled'), 'expected a duration of more than zero, got "disabled"')
  assert.equal(read(bounded, '10 ms'), 'expected a duration of at least 1 second, got "10 ms"')
  assert.equal(read(bounded, '2 days'), 'expected a duration of at most 1 day, got "2 days"')
  assert.equal(read(bounded, 'unlimited'), 'expected a duration of at most 1 day, got "unlimited"')
  const reasoned = duration({ unlimited: false, max: '1 day', because: 'it is long' })
  assert.equal(read(reasoned, '2 days'), 'expected a duration of at most 1 day, got "2 days": it is long')
  assert.equal(read(reasoned, 'none'), 'expected a limited duration, got "none": it is long')
  assert.equal(read(duration({ unlimited: false }), 'none'), 'expected a limited duration, got "none"')
})

test('url is absolute and has an allowed scheme', () => {
  assert.equal(read(url(), 'https://a.example/x'), 'https://a.example/x')
  assert.equal(read(url(['ws', 'wss']), 'wss://a.example'), 'wss://a.example')
  assert.equal(read(url(), '/x'), 'expected a URL (http://, https://), got "/x"')
  assert.equal(read(url(), 'file:///etc/passwd'), 'expected a URL (http://, https://), got "file:///etc/passwd"')
  assert.equal(read(url(['ws']), 4), 'expected a URL (ws://), got 4')
})

test('oneOf is case-insensitive and returns the listed spelling', () => {
  const mode = oneOf(['REQUEST', 'RESPONSE'])
  assert.equal(read(mode, 'response'), 'RESPONSE')
  assert.equal(read(mode, 'both'), 'expected one of "REQUEST", "RESPONSE", got "both"')
  assert.equal(read(mode, 1), 'expected one of "REQUEST", "RESPONSE", got 1')
  assert.equal(read(oneOf(['GET'], { exact: true }), 'get'), 'expected one of "GET", got "get"')
})

test('secretId is words joined by dots, of a bounded length', () => {
  assert.equal(read(secretId(), 'agent.secret-1_x'), 'agent.secret-1_x')
  const expected = 'expected a secret id: letters, digits, "-" and "_" in words joined by dots'
  for (const bad of ['', '.a', 'a..b', 'a/b', '../x', 'a b']) {
    assert.equal(read(secretId(), bad), `${expected}, got ${JSON.stringify(bad)}`)
  }
  assert.match(String(read(secretId(), 'a'.repeat(257))), /^expected a secret id: .*, got "a{79}\.\.\.$/)
})

test('regex is compiled at load, and an invalid one is reported', () => {
  const pattern = decode(regex(), '^/a+$', '').value
  assert.equal(pattern?.test('/aa'), true)
  assert.equal(pattern?.test('/b'), false)
  assert.match(String(read(regex(), '(')), /^expected a regular expression, got "\(": /)
  assert.equal(read(regex(), 5), 'expected a regular expression, got 5')
})

test('json accepts any value', () => {
  assert.deepEqual(read(json(), [1, { a: null }]), [1, { a: null }])
})

test('a field has its label, notes, default as written, and whether it is required', () => {
  const info = duration().default('5 seconds').meta({ description: 'How long.', secret: true }).info
  assert.equal(info.shape.label, 'a duration')
  assert.equal(info.required, false)
  assert.equal(info.defaultValue, '5 seconds')
  assert.equal(info.notes.description, 'How long.')
  assert.equal(info.notes.secret, true)
  assert.equal(string().info.required, true)
  assert.equal(string().meta({ description: 'a' }).optional().info.notes.description, 'a')
})
