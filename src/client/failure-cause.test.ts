import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureCause } from './failure-cause.ts'
import { UpstreamError } from './upstream-error.ts'

const coded = (code: string) => Object.assign(new Error('x'), { code })

for (const [error, cause] of [
  [new UpstreamError('GW_UPSTREAM_CONNECT', coded('ECONNREFUSED')), 'refused'],
  [new UpstreamError('GW_UPSTREAM_CONNECT', coded('ENOTFOUND')), 'name'],
  [new UpstreamError('GW_UPSTREAM_CONNECT', coded('GW_TLS_IDENTITY')), 'certificate'],
  [new UpstreamError('GW_UPSTREAM_CONNECT', coded('DEPTH_ZERO_SELF_SIGNED_CERT')), 'certificate'],
  [new UpstreamError('GW_UPSTREAM_CONNECT', new Error('not established in time')), 'timeout'],
  [new UpstreamError('GW_UPSTREAM_CLOSED'), 'reset'],
  [new UpstreamError('GW_UPSTREAM_TIMEOUT'), 'timeout'],
  [new UpstreamError('GW_UPSTREAM_PROTOCOL'), 'protocol'],
  [new UpstreamError('GW_CLIENT_GONE'), null],
] as const) {
  test(`the cause of ${error.code} is ${cause}`, () => assert.equal(failureCause(error), cause))
}
