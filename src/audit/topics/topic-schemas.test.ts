import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '#json'
import { Folder } from '#test/folder'
import { eventCheck, readTopicSchemas } from './topic-schemas.ts'

const PAYMENT = new Set(['payment'])

/** Reads `payment.json` with a schema. */
function topicOf(schema: JsonObject) {
  using folder = new Folder({ 'payment.json': JSON.stringify({ schema }) })
  return readTopicSchemas(folder.path, PAYMENT).topics.get('payment')!
}

const amount = (schema: JsonValue): JsonObject => ({ type: 'object', properties: { amount: schema } })
const AMOUNT = '/schema/properties/amount'
const SCHEMA_OF_FILE = 'expected a schema of this file, such as "#/definitions/amount", got'

const MISTAKES: readonly (readonly [string, JsonObject, string])[] = [
  [
    'an unknown type',
    amount({ type: 'strng' }),
    `${AMOUNT}/type: expected one of array, boolean, integer, null, number, object, string, or an array of these, got "strng"; did you mean "string"?`,
  ],
  [
    'a pattern that is no regular expression',
    amount({ items: { pattern: '(' } }),
    `${AMOUNT}/items/pattern: expected a regular expression, got "(": Invalid regular expression: /(/u: Unterminated group`,
  ],
  [
    'the same as a name of patternProperties',
    amount({ patternProperties: { '[': {} } }),
    `${AMOUNT}/patternProperties: expected a regular expression, got "[": Invalid regular expression: /[/u: Unterminated character class`,
  ],
  [
    'a reference to nothing',
    amount({ $ref: '#/definitions/no' }),
    `${AMOUNT}/$ref: ${SCHEMA_OF_FILE} "#/definitions/no"`,
  ],
  [
    'a reference to another file',
    amount({ anyOf: [{}, { $ref: 'other.json' }] }),
    `${AMOUNT}/anyOf/1/$ref: ${SCHEMA_OF_FILE} "other.json"`,
  ],
  [
    'a reference to what is no schema',
    { ...amount({ $ref: '#/examples' }), examples: { type: 'strng' } },
    `${AMOUNT}/$ref: ${SCHEMA_OF_FILE} "#/examples"`,
  ],
  [
    'a reference to itself',
    amount({ $ref: `#/properties/amount` }),
    `${AMOUNT}/$ref: ${SCHEMA_OF_FILE} a reference to itself`,
  ],
  ['a value in place of a schema', amount(1), `${AMOUNT}: expected a schema: an object, true or false, got 1`],
  [
    'a flag in place of names',
    amount({ required: true }),
    `${AMOUNT}/required: expected an array of field names, got true`,
  ],
  ['a text in place of a number', amount({ minimum: '1' }), `${AMOUNT}/minimum: expected a number, got "1"`],
  [
    'the flags of draft-04 without it',
    amount({ minimum: 1, exclusiveMinimum: true }),
    `${AMOUNT}/exclusiveMinimum: expected a number; true and false need draft-04 in "$schema", got true`,
  ],
  ['properties without names', { properties: [] }, '/schema/properties: expected an object, got an empty array'],
]

for (const [name, schema, message] of MISTAKES) {
  test(`finds ${name} below the top of a schema`, () => {
    using folder = new Folder({ 'payment.json': JSON.stringify({ schema }) })
    const expected = `${join(folder.path, 'payment.json')}: ${message}`
    assert.throws(() => readTopicSchemas(folder.path, PAYMENT), { name: 'TopicSchemaError', message: expected })
  })
}

const EVENT = { _id: '1', timestamp: '2026-01-01T00:00:00.000Z', transactionId: '1', eventName: 'PAID' }

test('draft-04: ids may be repeated at each level, and bounds have flags', () => {
  const address = { id: 'address', type: 'object', properties: { ip: { id: 'ip', type: 'string' } } }
  const check = eventCheck(
    topicOf({
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: '/',
      type: 'object',
      definitions: { amount: { type: 'number', minimum: 0, exclusiveMinimum: true } },
      properties: {
        client: { ...address, id: 'client' },
        server: {
          ...address,
          id: 'client',
          properties: { ...address.properties, paid: { $ref: '#/definitions/amount' } },
        },
      },
    }),
  )
  assert.equal(check({ ...EVENT, client: { ip: '::1' }, server: { ip: '::1', paid: 1 } }), null)
  assert.equal(check({ ...EVENT, server: { ip: 1 } }), '/server/ip: does not satisfy "type"')
  assert.equal(check({ ...EVENT, server: { paid: 0 } }), '/server/paid: does not satisfy "minimum"')
})

test('references to definitions, to the whole and to anchors are followed', () => {
  const check = eventCheck(
    topicOf({
      $defs: { 'a/b c': { type: 'integer' }, text: { $anchor: 'text', type: 'string' } },
      properties: { amount: { $ref: '#/$defs/a~1b%20c' }, note: { $ref: '#text' }, parts: { items: { $ref: '#' } } },
    }),
  )
  assert.equal(check({ ...EVENT, amount: 1, note: 'a', parts: [{ ...EVENT, amount: 2 }] }), null)
  assert.equal(check({ ...EVENT, amount: 'a' }), '/amount: does not satisfy "type"')
  assert.equal(check({ ...EVENT, note: 1 }), '/note: does not satisfy "type"')
  assert.equal(check({ ...EVENT, parts: [{ ...EVENT, amount: 'a' }] }), '/parts/0/amount: does not satisfy "type"')
})

test('the required fields beside a reference at the top are required in each draft', () => {
  for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema']) {
    const schema = { $schema, $ref: '#/definitions/payment', definitions: { payment: amount({ type: 'number' }) } }
    using folder = new Folder({ 'payment.json': JSON.stringify({ schema, required: ['amount'] }) })
    const check = eventCheck(readTopicSchemas(folder.path, PAYMENT).topics.get('payment')!)
    assert.equal(check({ ...EVENT, amount: 1 }), null)
    assert.equal(check({ ...EVENT, amount: 'a' }), '/amount: does not satisfy "type"')
    assert.notEqual(check(EVENT), null)
    assert.notEqual(check({ amount: 1 }), null)
  }
})

test('numbers that doubles spell otherwise are bounds too', () => {
  using folder = new Folder({
    'payment.json': '{"schema":{"properties":{"amount":{"multipleOf":0.10,"maximum":1.0}}}}',
  })
  const check = eventCheck(readTopicSchemas(folder.path, PAYMENT).topics.get('payment')!)
  assert.equal(check({ ...EVENT, amount: 0.2 }), null)
  assert.equal(check({ ...EVENT, amount: 2 }), '/amount: does not satisfy "maximum"')
})

test('the name of a type in place of the schema of a property is a warning, and any value is accepted', () => {
  using folder = new Folder({ 'payment.json': JSON.stringify({ schema: amount('number') }) })
  const { topics, warnings } = readTopicSchemas(folder.path, PAYMENT)
  assert.deepEqual(warnings, [
    `${join(folder.path, 'payment.json')}: ${AMOUNT}: expected a schema such as { "type": "number" }, got "number"; any value is accepted`,
  ])
  assert.equal(eventCheck(topics.get('payment')!)({ ...EVENT, amount: '1' }), null)
})

test('a mistake in a file that no handler uses is a warning', () => {
  using folder = new Folder({ 'payment.json': '{"schema":{}}', 'other.json': '{}', 'no name.json': '' })
  const { topics, warnings } = readTopicSchemas(folder.path, PAYMENT)
  assert.deepEqual([...topics.keys()], ['payment'])
  assert.deepEqual(warnings, [
    `${join(folder.path, 'no name.json')}: the name of a topic has letters, digits, "-" and "_" and begins with a letter; no event handler has the topic "no name"`,
    `${join(folder.path, 'other.json')}: expected an object { "schema": { ... }, "filterPolicies": { ... }, "required": [ ... ] }; no event handler has the topic "other"`,
  ])
  assert.throws(
    () => readTopicSchemas(folder.path, new Set(['no name'])),
    /no name\.json: the name of a topic has letters/,
  )
})
