import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '#http'
import { demandOf } from './step-up.ts'

const challenged = (challenge: string, status = 401) => demandOf(respond(status, { 'WWW-Authenticate': challenge }))

test('RFC 9470: a challenge demands acr_values and max_age', () => {
  assert.deepEqual(
    challenged('Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="60"'),
    { acrValues: ['gold', 'silver'], maxAge: 60 },
  )
  assert.deepEqual(challenged('Bearer error=insufficient_user_authentication, max_age=0'), { acrValues: [], maxAge: 0 })
  assert.deepEqual(challenged('DPoP error="insufficient_user_authentication", acr_values=gold'), {
    acrValues: ['gold'],
    maxAge: null,
  })
  assert.deepEqual(challenged('Bearer error="insufficient_user_authentication"'), { acrValues: [], maxAge: null })
})

test('other responses demand nothing', () => {
  assert.equal(challenged('Bearer error="invalid_token"'), null)
  assert.equal(challenged('Bearer error="insufficient_user_authentication"', 403), null)
  assert.equal(demandOf(respond(401)), null)
})

test('the length of values in a challenge is limited', () => {
  const long = challenged(`Bearer error="insufficient_user_authentication", acr_values="${'x'.repeat(501)}"`)
  assert.deepEqual(long, { acrValues: [], maxAge: null })
})
