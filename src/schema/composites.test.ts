import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  atLeastOneOf,
  atMostOneOf,
  boolean,
  byShape,
  decode,
  duration,
  exactlyOneOf,
  type Field,
  formatProblem,
  integer,
  list,
  listOrOne,
  map,
  needs,
  object,
  renames,
  string,
} from './index.ts'

/** Every problem of a value at /config, one line each. */
function refusals(field: Field, value: unknown): string[] {
  return decode(field, value, '/config').problems.map(formatProblem)
}

const accepted = <T>(field: Field<T>, value: unknown): T => {
  const { value: decoded, problems } = decode(field, value, '/config')
  assert.deepEqual(problems, [])
  return decoded as T
}

const rate = object({
  numberOfRequests: integer({ min: 1 }),
  duration: duration({ zero: false }).default('10 seconds'),
  note: string().optional(),
})

test('an object decodes its fields, with the default where one is missing', () => {
  assert.deepEqual(accepted(rate, { numberOfRequests: 5 }), {
    numberOfRequests: 5,
    duration: 10_000,
    note: undefined,
  })
})

test('every problem of an object is reported at once, each with its pointer', () => {
  assert.deepEqual(refusals(rate, { numberOfRequests: 0, duration: '10 parsecs', note: 7, speed: 1 }), [
    '/config/speed: unknown field',
    '/config/numberOfRequests: expected an integer of at least 1, got 0',
    '/config/duration: expected a duration such as "10 seconds", got "10 parsecs"',
    '/config/note: expected a string, got 7',
  ])
  assert.deepEqual(refusals(rate, {}), [
    '/config/numberOfRequests: expected an integer of at least 1; this field is required',
  ])
  assert.deepEqual(refusals(rate, []), ['/config: expected an object, got an empty array'])
})

test('the error for an unknown field suggests a similar one', () => {
  assert.deepEqual(refusals(rate, { numberOfRequests: 1, Durration: '1 s' }), [
    '/config/Durration: unknown field; did you mean "duration"?',
  ])
})

test('comments and disabled fields are ignored', () => {
  accepted(rate, {
    numberOfRequests: 1,
    comment: 'why',
    comments: ['why'],
    _duration: 5,
    '//note': { any: 'thing' },
    '//': '',
  })
})

test('null counts as a missing field', () => {
  assert.equal(accepted(rate, { numberOfRequests: 1, duration: null }).duration, 10_000)
  assert.deepEqual(refusals(rate, { numberOfRequests: null }), [
    '/config/numberOfRequests: expected an integer of at least 1; this field is required',
  ])
  const one = object({ a: string().optional(), b: string().optional() }, { rules: [exactlyOneOf('a', 'b')] })
  accepted(one, { a: 'x', b: null })
})

test('keys of Object.prototype are unknown fields like any other', () => {
  assert.deepEqual(refusals(rate, { numberOfRequests: 1, constructor: 1, toString: 2 }), [
    '/config/constructor: unknown field',
    '/config/toString: unknown field',
  ])
})

test('an old name is accepted for the new one; with both, the new one is used and a warning names both', () => {
  const field = object({ host: string(), port: integer().optional() }, { older: renames({ server: 'host' }) })
  assert.deepEqual(accepted(field, { server: 'a' }), { host: 'a', port: undefined })
  assert.deepEqual(refusals(field, { server: 5 }), ['/config/server: expected a string, got 5'])
  const { value, warnings } = decode(field, { host: 'a', server: 'b' }, '/config')
  assert.deepEqual(value, { host: 'a', port: undefined })
  assert.deepEqual(warnings, [{ pointer: '/config/server', message: 'server and host are both given; host is used' }])
})

test('an old name satisfies the presence rules', () => {
  const renamed = object(
    { a: string().optional(), b: string().optional() },
    { older: renames({ old: 'a' }), rules: [exactlyOneOf('a', 'b')] },
  )
  accepted(renamed, { old: 'x' })
  assert.deepEqual(refusals(renamed, { old: 'x', b: 'y' }), ['/config: give exactly one of a, b'])
})

const anyOfThree = { a: string().optional(), b: string().optional(), c: string().optional() }

test('presence rules name the missing fields', () => {
  const exactly = object(anyOfThree, { rules: [exactlyOneOf('a', 'b')] })
  assert.deepEqual(refusals(exactly, {}), ['/config: give exactly one of a, b'])
  assert.deepEqual(refusals(exactly, { a: '', b: '' }), ['/config: give exactly one of a, b'])
  accepted(exactly, { b: '' })

  const some = object(anyOfThree, { rules: [atLeastOneOf('a', 'b')] })
  assert.deepEqual(refusals(some, { c: '' }), ['/config: give at least one of a, b'])
  accepted(some, { a: '', b: '' })

  const few = object(anyOfThree, { rules: [atMostOneOf('a', 'b', 'c')] })
  assert.deepEqual(refusals(few, { a: '', c: '' }), ['/config: give at most one of a, b, c'])
  accepted(few, {})
  accepted(few, { c: '' })

  const together = object(anyOfThree, { rules: [needs('a', 'b', 'c')] })
  assert.deepEqual(refusals(together, { a: '', b: '' }), ['/config: a needs b and c'])
  accepted(together, { b: '' })
  accepted(together, { a: '', b: '', c: '' })
})

test('a broken rule and a bad field are reported together', () => {
  const both = object(anyOfThree, { rules: [exactlyOneOf('a', 'b'), needs('c', 'a')] })
  assert.deepEqual(refusals(both, { c: 4 }), [
    '/config/c: expected a string, got 4',
    '/config: give exactly one of a, b',
    '/config: c needs a',
  ])
})

test('the error of a list names the invalid element', () => {
  const names = list(string({ nonEmpty: true }))
  assert.deepEqual(accepted(names, []), [])
  assert.deepEqual(accepted(names, ['a', 'b']), ['a', 'b'])
  assert.deepEqual(refusals(names, ['a', '', null]), [
    '/config/1: expected a string that is not empty',
    '/config/2: expected a string, got null',
  ])
  assert.deepEqual(refusals(names, 5), ['/config: expected an array, got 5'])
  assert.deepEqual(refusals(list(string(), { nonEmpty: true }), []), ['/config: expected at least one element'])
})

test('a list or a single value decodes to a list', () => {
  const ports = listOrOne(integer())
  assert.deepEqual(accepted(ports, 8080), [8080])
  assert.deepEqual(accepted(ports, [1, 2]), [1, 2])
  assert.deepEqual(refusals(ports, 'x'), ['/config: expected an integer, got "x"'])
  assert.deepEqual(refusals(ports, [1, 'x']), ['/config/1: expected an integer, got "x"'])
})

test('one value for a list, and a list of one for a value, are accepted with a warning', () => {
  const field = object({ names: list(string()), name: string().optional() })
  const { value, warnings } = decode(field, { names: 'a', name: ['b'] }, '/config')
  assert.deepEqual(value, { names: ['a'], name: 'b' })
  assert.deepEqual(warnings.map(formatProblem), [
    '/config/names: expected a list, got "a", which is used so',
    '/config/name: expected one value, got an array, which is used so',
  ])
  assert.deepEqual(refusals(field, { names: ['a'], name: ['b', 'c'] }), [
    '/config/name: expected a string, got an array',
  ])
})

test('blanks at the ends of a key are removed with a warning, but not those of keys that are data', () => {
  const field = object({ host: string(), headers: map(string()).default({}) })
  const { value, warnings } = decode(field, { 'host ': 'a', headers: { ' X ': 'y' } }, '/config')
  assert.deepEqual(value, { host: 'a', headers: Object.assign(Object.create(null), { ' X ': 'y' }) })
  assert.deepEqual(warnings.map(formatProblem), ['/config/host : "host " has blanks at its ends; write "host"'])
  const both = decode(field, { 'host ': 'a', host: 'b' }, '/config')
  assert.equal(both.value?.host, 'b')
  assert.match(both.warnings[0]?.message ?? '', /both given; "host" is used/)
})

test('every key of a map is data', () => {
  const text = '{"__proto__": "a", "comment": "b", "_x": "c", "constructor": "d"}'
  const decoded = accepted(map(string()), JSON.parse(text))
  assert.deepEqual(Object.entries(decoded), [
    ['__proto__', 'a'],
    ['comment', 'b'],
    ['_x', 'c'],
    ['constructor', 'd'],
  ])
  assert.equal(Object.getPrototypeOf(decoded), null)
  assert.equal(decoded['toString'], undefined)
})

test('the error of a map names invalid entries and keys', () => {
  const headers = map(list(string()), { except: ['host'], reason: 'belongs to the client' })
  assert.deepEqual(refusals(headers, { 'x/y': ['a', 1], host: [] }), [
    '/config/x~1y/1: expected a string, got 1',
    '/config/host: "host" belongs to the client',
  ])
  assert.deepEqual(refusals(headers, []), ['/config: expected an object, got an empty array'])
  assert.deepEqual(refusals(map(string(), { except: ['a'] }), { a: '' }), ['/config/a: "a" is not allowed here'])
})

test('the shape of the JSON selects the branch, so that there is one message', () => {
  const scopes = byShape({ array: list(string()), object: object({ all: boolean() }) })
  assert.deepEqual(accepted(scopes, ['a']), ['a'])
  assert.deepEqual(accepted(scopes, { all: true }), { all: true })
  assert.deepEqual(refusals(scopes, [1]), ['/config/0: expected a string, got 1'])
  assert.deepEqual(refusals(scopes, { al: true }), [
    '/config/al: unknown field; did you mean "all"?',
    '/config/all: expected a boolean; this field is required',
  ])
  assert.deepEqual(refusals(scopes, 'a'), ['/config: expected an array of string, or an object, got "a"'])
})

test('warnings name deprecated, renamed and unsupported fields that are used, at any depth', () => {
  const inner = object(
    {
      host: string().optional(),
      legacy: string().optional().meta({ replacement: 'use host instead' }),
      jdk: boolean().optional().meta({ unsupported: 'there is no JDK here' }),
    },
    { older: renames({ server: 'host' }) },
  )
  const outer = object({
    one: inner.optional(),
    many: list(inner).optional(),
    either: listOrOne(inner).optional(),
    named: map(inner).optional(),
    shaped: byShape({ string: string(), object: inner }).optional(),
  })
  const used = { server: 'a', legacy: 'b', jdk: true }
  const expected = (at: string) => [
    `${at}/server: server is deprecated; use host instead`,
    `${at}/legacy: legacy is deprecated; use host instead`,
    `${at}/jdk: jdk has no effect: there is no JDK here`,
  ]
  const cases: readonly (readonly [object, string])[] = [
    [{ one: used }, '/config/one'],
    [{ many: [{}, used] }, '/config/many/1'],
    [{ either: used }, '/config/either'],
    [{ either: [used] }, '/config/either/0'],
    [{ named: { 'a/b': used } }, '/config/named/a~1b'],
    [{ shaped: used }, '/config/shaped'],
  ]
  for (const [json, at] of cases) {
    const { problems, warnings } = decode(outer, json, '/config')
    assert.deepEqual(problems, [])
    assert.deepEqual(warnings.map(formatProblem), expected(at))
  }
  assert.deepEqual(decode(outer, { one: { legacy: null }, shaped: 'x' }, '/config').warnings, [])
})
