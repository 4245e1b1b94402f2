import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ThrottlingPolicy, ThrottlingPolicyKind } from '#contracts'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { DefaultRateThrottlingPolicy } from './default-rate-throttling-policy.ts'

async function requestsWith(policy: ThrottlingPolicy): Promise<number | undefined> {
  const Delegate = defineType({
    name: 'TestPolicy',
    kind: ThrottlingPolicyKind,
    summary: 'A policy of a test.',
    config: {},
    create: () => policy,
  })
  const config = {
    delegateThrottlingRatePolicy: { type: 'TestPolicy' },
    defaultRate: { numberOfRequests: 1, duration: '1 s' },
  }
  await using built = await build<ThrottlingPolicy>(DefaultRateThrottlingPolicy, config, { types: [Delegate] })
  return (await built.object.rateFor(exchangeFor('GET', 'http://a.example.com/')))?.numberOfRequests
}

test('the rate of the delegate takes precedence over the default', async () => {
  assert.equal(await requestsWith({ rateFor: async () => ({ numberOfRequests: 5, duration: 1_000 }) }), 5)
})

test('where the delegate returns none, the default applies', async () => {
  assert.equal(await requestsWith({ rateFor: () => null }), 1)
})

test('a delegate that fails is a fault, not the default', async () => {
  const failing: ThrottlingPolicy = { rateFor: () => Promise.reject(new Error('no')) }
  await assert.rejects(requestsWith(failing), { message: 'no' })
})

test('both fields are required', async () => {
  await assert.rejects(build(DefaultRateThrottlingPolicy, {}), (error: Error) => {
    assert.match(error.message, /delegateThrottlingRatePolicy/)
    assert.match(error.message, /defaultRate/)
    return true
  })
})
