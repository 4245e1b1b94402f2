import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cacheKeyOf, type EvaluationRequest } from './evaluation-request.ts'

const PLAIN: EvaluationRequest = { resource: 'http://a/', subject: { ssoToken: 'x' }, environment: null }

test('B59: different evaluation requests have different cache keys', () => {
  const questions: EvaluationRequest[] = [
    PLAIN,
    { ...PLAIN, resource: 'http://a/1:x' },
    { ...PLAIN, resource: 'http://a' },
    { ...PLAIN, subject: { jwt: 'x' } },
    { ...PLAIN, subject: { ssoToken: 'x', jwt: 'x' } },
    { ...PLAIN, subject: { ssoToken: 'x-' } },
    { ...PLAIN, subject: { ssoToken: 'x', claims: { sub: 'x' } } },
    { ...PLAIN, subject: { ssoToken: 'x', claims: { sub: ['x'] } } },
    { ...PLAIN, subject: { claims: { sub: 'x' } } },
    { ...PLAIN, environment: {} },
    { ...PLAIN, environment: { a: ['b'] } },
    { ...PLAIN, environment: { a: ['b', 'c'] } },
    { ...PLAIN, environment: { a: ['b'], c: [] } },
    { ...PLAIN, environment: { a: ['b'], c: ['d'] } },
    { ...PLAIN, environment: { a: ['b+1:c1:d'] } },
    { ...PLAIN, environment: { a: ['b,c'] } },
    { ...PLAIN, environment: { 'a1:b': [] } },
    { ...PLAIN, environment: { ab: [] } },
  ]
  // An empty environment equals none.
  const same = (one: EvaluationRequest, other: EvaluationRequest) =>
    [one, other].every(({ environment }) => Object.keys(environment ?? {}).length === 0) &&
    one.resource === other.resource &&
    JSON.stringify(one.subject) === JSON.stringify(other.subject)
  for (const one of questions) {
    for (const other of questions) {
      if (one === other || same(one, other)) continue
      assert.notEqual(cacheKeyOf(one), cacheKeyOf(other), JSON.stringify([one, other]))
    }
  }
})
