import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, didYouMean, formatProblem } from './index.ts'
import { shown } from './problem.ts'

test('the most similar known name is suggested in any case; dissimilar ones are not', () => {
  const known = ['cleaningInterval', 'rate', 'throttlingRatePolicy']
  assert.equal(didYouMean('cleaningIntervall', known), '; did you mean "cleaningInterval"?')
  assert.equal(didYouMean('RATE', known), '; did you mean "rate"?')
  assert.equal(didYouMean('rte', known), '; did you mean "rate"?')
  assert.equal(didYouMean('colour', known), '')
  assert.equal(didYouMean('x', []), '')
})

test('a configuration error has every problem on a separate line', () => {
  const error = new ConfigError([
    { pointer: '/a', message: 'one' },
    { pointer: '', message: 'two' },
  ])
  assert.equal(error.message, '/a: one\ntwo')
  assert.equal(error.code, 'GW_CONFIG_INVALID')
  assert.equal(formatProblem({ pointer: '/a~1b', message: 'x' }), '/a~1b: x')
})

test('values are shown as truncated JSON, and structures never in full', () => {
  assert.equal(shown('a"b\n'), '"a\\"b\\n"')
  assert.equal(shown('x'.repeat(200)).length, 83)
  assert.equal(shown(undefined), 'nothing')
  assert.equal(shown(null), 'null')
  assert.equal(shown([]), 'an empty array')
  assert.equal(shown([1]), 'an array')
  assert.equal(shown({ password: 'secret' }), 'an object')
})
