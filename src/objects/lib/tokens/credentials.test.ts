import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '#http'
import { type Credentials, credentialsIn } from './credentials.ts'

const of = (values: readonly string[], schemes: readonly ('Bearer' | 'DPoP')[] = ['Bearer']): Credentials =>
  credentialsIn(Headers.fromRaw(values.flatMap((value) => ['AUTHORIZATION', value])), schemes)

const tokens: readonly [string, string][] = [
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER abc', 'abc'],
  ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
  [`Bearer ${'x'.repeat(16_384)}`, 'x'.repeat(16_384)],
]

for (const [value, token] of tokens) {
  test(`B47: ${JSON.stringify(value.slice(0, 40))} contains a token`, () => {
    assert.deepEqual(of([value]), { found: 'token', scheme: 'Bearer', token })
  })
}

const others: readonly [string, readonly string[], Credentials['found']][] = [
  ['no field', [], 'nothing'],
  ['an empty field', [''], 'nothing'],
  ['the word alone', ['Bearer'], 'nothing'],
  ['another scheme', ['Basic abc'], 'nothing'],
  ['a longer word', ['Bearerx abc'], 'nothing'],
  ['a shorter word', ['Bear abc'], 'nothing'],
  ['DPoP where it is not taken', ['DPoP abc'], 'nothing'],
  ['two fields', ['Bearer a', 'Bearer a'], 'malformed'],
  ['two fields of two schemes', ['Basic a', 'Bearer a'], 'malformed'],
  ['two spaces', ['Bearer  abc'], 'malformed'],
  ['a space and nothing', ['Bearer '], 'malformed'],
  ['a tab', ['Bearer\tabc'], 'malformed'],
  ['a space and a tab', ['Bearer \tabc'], 'malformed'],
  ['a space behind', ['Bearer abc '], 'malformed'],
  ['two tokens', ['Bearer abc def'], 'malformed'],
  ['a list', ['Bearer abc, Bearer def'], 'malformed'],
  ['a comma at once', ['Bearer,abc'], 'malformed'],
  ['a quoted token', ['Bearer "abc"'], 'malformed'],
  ['an equals sign in the middle', ['Bearer ab=c'], 'malformed'],
  ['equals signs alone', ['Bearer =='], 'malformed'],
  ['letters beyond ASCII', ['Bearer ab\u00e9'], 'malformed'],
  ['a token of 16 KiB and one', [`Bearer ${'x'.repeat(16_385)}`], 'oversized'],
  ['a token of 100 KB', [`Bearer ${'x'.repeat(100_000)}`], 'oversized'],
]

for (const [name, values, found] of others) {
  test(`B47: ${name}: ${found}`, () => {
    assert.equal(of(values).found, found)
  })
}

test('DPoP is accepted where the resolver accepts it', () => {
  assert.deepEqual(of(['dpop abc'], ['Bearer', 'DPoP']), { found: 'token', scheme: 'DPoP', token: 'abc' })
  assert.equal(of(['Bearer abc'], ['DPoP']).found, 'nothing')
})
