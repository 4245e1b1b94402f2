import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FilterKind, HandlerKind } from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import { defineType } from '#schema'
import { Tracer } from '#telemetry'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { TracingDecorator } from './tracing-decorator.ts'

interface ExportedSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
}

const failure = Object.assign(new Error('broken'), { code: 'GW_BROKEN' })

const Answer = defineType({
  name: 'Answer',
  kind: HandlerKind,
  summary: 'Answers by the path.',
  config: {},
  create:
    (): Handler =>
    async ({ request }) => {
      if (request.uri.path === '/throws') throw failure
      return respond(request.uri.path === '/503' ? 503 : 200)
    },
})

const Pass = defineType({
  name: 'Pass',
  kind: FilterKind,
  summary: 'Calls the next handler.',
  config: {},
  create: (): Filter => (exchange, next) => next(exchange),
})

async function traced<T>(definition: typeof Answer | typeof Pass, tracing: boolean): Promise<T> {
  const { object } = await build<T>(
    definition,
    {},
    {
      types: [TracingDecorator],
      heap: [{ name: 'tracing', type: 'TracingDecorator' }],
      decorations: { tracing },
    },
  )
  return object
}

function sampled(path: string) {
  const spans: ExportedSpan[] = []
  const tracer = new Tracer({ isParentBased: true, ratio: 1 }, ({ text }) =>
    spans.push(JSON.parse(text) as ExportedSpan),
  )
  const exchange = exchangeFor('GET', `http://app.example.com${path}`)
  const span = tracer.begin('GET', null)
  exchange.span = span
  return { spans, exchange, span }
}

describe('TracingDecorator', () => {
  test('the span of a filter is the parent of that of its handler, and the current one only while it works', async () => {
    const handler = await traced<Handler>(Answer, true)
    const filter = await traced<Filter>(Pass, true)
    const { spans, exchange, span } = sampled('/')
    await filter(exchange, handler)
    const [inner, outer] = spans
    assert.equal(inner?.parentSpanId, outer?.spanId)
    assert.ok(span.traceparent.includes(outer?.parentSpanId ?? 'none'))
    assert.equal(exchange.span, span)
    assert.deepEqual(
      inner?.attributes.map(({ key }) => key),
      ['gateway.object'],
    )
  })

  test('statuses of 5xx and exceptions are errors, and exceptions are thrown on', async () => {
    const handler = await traced<Handler>(Answer, true)
    const unavailable = sampled('/503')
    await handler(unavailable.exchange)
    assert.equal(unavailable.spans[0]?.attributes.at(-1)?.value.stringValue, '503')
    const broken = sampled('/throws')
    await assert.rejects(handler(broken.exchange), failure)
    assert.equal(broken.spans[0]?.attributes.at(-1)?.value.stringValue, 'GW_BROKEN')
    assert.equal(broken.exchange.span, broken.span)
  })

  test('with false, without tracing and without sampling nothing is recorded', async () => {
    const { spans, exchange } = sampled('/')
    await (await traced<Handler>(Answer, false))(exchange)
    assert.deepEqual(spans, [])
    const handler = await traced<Handler>(Answer, true)
    assert.equal((await handler(exchangeFor('GET', 'http://app.example.com/'))).status, 200)
    const unsampled = exchangeFor('GET', 'http://app.example.com/')
    unsampled.span = new Tracer({ isParentBased: true, ratio: 0 }, () => assert.fail('a span')).begin('GET', null)
    assert.equal((await handler(unsampled)).status, 200)
  })
})
