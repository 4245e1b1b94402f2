import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attributesText, otlpAttributes } from './otlp-value.ts'

test('the text of attributes is that of the same values as objects', () => {
  const key = fc.stringMatching(/^[a-z_.]{1,20}$/)
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(undefined))
  fc.assert(
    fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (values) => {
      assert.deepEqual(JSON.parse(attributesText(values)), JSON.parse(JSON.stringify(otlpAttributes(values))))
    }),
  )
})
