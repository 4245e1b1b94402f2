import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { schemaOfType } from '#test/type-schemas'
import type { Schema } from '../api/types.ts'
import { descriptionOf, placeAt, proposalsFor } from './schema-place.ts'

/** The place at the mark `|` of a text, with the text without it. */
function marked(text: string) {
  const offset = text.indexOf('|')
  const whole = text.replace('|', '')
  const place = placeAt(whole, offset)
  return { place, token: whole.slice(place.from, place.to) }
}

/** Of the route where there is no type. */
function schemaOf(type: string | null): Schema | null {
  if (type === '' || type === 'Hea' || type === 'Rev') return null
  if (type !== null) return schemaOfType(type) as Schema
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', '..', 'schemas', 'route.json'), 'utf8'))
}

function labels(text: string): readonly string[] {
  const { place } = marked(text)
  const fitting = {
    root: schemaOf(place.type),
    outer: schemaOf(place.object.type),
    types: ['Chain', 'HeaderFilter'],
    objects: [
      { name: 'Upstream', type: 'ReverseProxyHandler' },
      { name: 'Cookies', type: 'CookieFilter' },
      { name: 'Am', type: 'AmService' },
    ],
    decorators: ['capture'],
  }
  return proposalsFor(place, fitting).map(({ label }) => label)
}

test('keys are the fields of the type around that are not there yet, also in an incomplete text', () => {
  const all = ['remove', 'replace', 'add', 'encoding']
  for (const end of ['"|" } }', '"re|" } }', '"| } }', '"|\n } }', '|', '| } }'])
    assert.deepEqual(labels(`{ "type": "HeaderFilter", "config": { "messageType": "REQUEST", ${end}`), all, end)
  assert.deepEqual(labels('{ "config": { "rate": { "duration": "1 s", "|" } }, "type": "ThrottlingFilter" }'), [
    'numberOfRequests',
  ])
  assert.deepEqual(labels('{ "type": "HeaderFilter", "|" }'), ['name', 'config', 'capture'])
})

test('keys of an object without a type are those of its place', () => {
  assert.ok(labels('{ "type": "Chain", "config": { "filters": [{ "|" }] } }').includes('type'))
})

test('keys of a route are its fields and decorators', () => {
  const keys = labels('{ "name": "one", "|" }')
  for (const key of ['condition', 'handler', 'heap', 'session', 'capture', 'timer', 'baseURI'])
    assert.ok(keys.includes(key), key)
  for (const key of ['name', 'audit', 'filters']) assert.ok(!keys.includes(key), key)
})

test('references are names of objects of fitting types, and so are types of objects in place', () => {
  assert.deepEqual(labels('{ "handler": "|" }'), ['Upstream'])
  const chain = (rest: string) => labels(`{ "handler": { "type": "Chain", "config": { ${rest} } } }`)
  assert.deepEqual(chain('"filters": ["|"]'), ['Cookies'])
  assert.deepEqual(chain('"handler": "|"'), ['Upstream'])
  assert.deepEqual(labels('{ "heap": [{ "type": "SingleSignOnFilter", "config": { "amService": "|" } }] }'), ['Am'])
  const filters = chain('"filters": [{ "type": "|" }]')
  assert.ok(filters.includes('CookieFilter') && !filters.includes('ReverseProxyHandler'))
  const handlers = labels('{ "handler": { "type": "Rev|" } }')
  assert.ok(handlers.includes('ReverseProxyHandler') && !handlers.includes('CookieFilter'))
  const any = labels('{ "heap": [{ "name": "x", "type": "|" }] }')
  assert.ok(any.includes('ReverseProxyHandler') && any.includes('CookieFilter'))
})

test('values are those of the enumeration, true and false, and where the place is unknown all types', () => {
  const values = (end: string) => labels(`{ "type": "HeaderFilter", "config": { "messageType": ${end}`)
  for (const end of ['"|" } }', '| } }', '"RE|" } }']) assert.deepEqual(values(end), ['REQUEST', 'RESPONSE'], end)
  assert.deepEqual(labels('{ "type": "ThrottlingFilter", "config": { "rateLimitHeaders": | } }'), ['true', 'false'])
  for (const end of ['|', '"|"', '"Hea|" }', '"|\n}'])
    assert.deepEqual(labels(`{ "unknown": { "type": ${end} }`), ['Chain', 'HeaderFilter'], end)
})

test('the token at the cursor is replaced with its quotes, and nothing after it', () => {
  for (const [text, token] of [
    ['{ "ab|c": 1 }', '"abc"'],
    ['{ "ab|\n }', '"ab'],
    ['{ "a": 1, "| }', '"'],
    ['{ "a": 1, x| }', 'x'],
    ['{ "a": | }', ''],
    ['{ "a": tr| }', 'tr'],
    ['{ "a": "x|", "b": 1 }', '"x"'],
  ] as const)
    assert.equal(marked(text).token, token, text)
})

test('a key and its value have the description of their field', () => {
  const schema = schemaOf('HeaderFilter') as Schema
  for (const text of ['"remo|ve": ["a"]', '"remove": ["|a"]']) {
    const { place } = marked(`{ "type": "HeaderFilter", "config": { ${text} } }`)
    assert.equal(descriptionOf(place, schema), 'Names of headers to remove, with all their values.', text)
  }
  assert.equal(descriptionOf(marked('{ "type": "HeaderFilter", "config": { "x|y": 1 } }').place, schema), null)
})
