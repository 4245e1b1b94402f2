import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chain, type Filter, type Handler, type Response, respond } from '#http'
import { exchangeFor } from '#test/exchange'
import { attributedFilter, attributedHandler } from './fault-origin.ts'
import { RequestTrace } from './request-trace.ts'

/** The steps of a request through a chain. */
async function traced(filters: readonly Filter[], handler: Handler) {
  const exchange = exchangeFor('GET', 'http://a.example/')
  const trace = new RequestTrace(exchange)
  const named = filters.map((filter, at) => attributedFilter(filter, `filter-${at}`))
  const run = async () => chain(named, attributedHandler(handler, 'handler'))(exchange)
  const [result] = await Promise.allSettled([run()])
  trace.end()
  return { result, steps: trace.steps }
}

const setting =
  (fields: Readonly<Record<string, string>>): Filter =>
  (exchange, next) => {
    for (const [name, value] of Object.entries(fields)) exchange.request.headers.set(name, value)
    return next(exchange)
  }

test('B85: changes have no credentials, by the name of a header or in its value', async () => {
  const location = 'http://user:s3cret@b.example/;jsessionid=s3cret?code=s3cret&x=1'
  const fields = { 'X-Api-Key': 's3cret', iPlanetDirectoryPro: 's3cret', 'X-Next': location }
  const failing: Handler = async () => {
    throw new Error('no answer of http://b.example/?access_token=s3cret')
  }
  const { steps } = await traced([setting(fields)], failing)
  assert.doesNotMatch(JSON.stringify(steps), /s3cret/)
  assert.deepEqual(steps[0]?.request?.headers?.['x-next'], [
    null,
    'http://[redacted]@b.example/;jsessionid=[redacted]?code=[redacted]&x=1',
  ])
  assert.equal(steps[1]?.error, 'no answer of http://b.example/?access_token=[redacted]')
})

test('changes beyond the size of a trace are left out, and later steps still have their times', async () => {
  const large = (n: number) =>
    setting(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`X-F-${at}`, `${n}`.repeat(1_000)])))
  const { steps } = await traced([large(1), large(2), large(3)], async () => respond(200))
  assert.ok(JSON.stringify(steps).length < 100_000)
  assert.deepEqual(
    steps.map(({ request }) => request?.truncated ?? false),
    [false, true, true, false],
  )
  assert.ok(steps.every(({ elapsed }) => elapsed !== null))
})

test('a handler without a response is a fault of the handler and not of the trace', async () => {
  const { result, steps } = await traced([setting({})], async () => undefined as unknown as Response)
  assert.deepEqual(result, { status: 'fulfilled', value: undefined })
  assert.deepEqual(
    steps.map(({ status, error }) => [status, error]),
    [
      [null, null],
      [null, null],
    ],
  )
})
