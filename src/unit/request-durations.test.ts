import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RequestSpan, respond } from '#http'
import { MetricsRegistry, prometheusText, type ScrapeFormat } from '#metrics'
import { exchangeFor } from '#test/exchange'
import { RequestDurations } from './request-durations.ts'

const SPAN = {
  isRecording: true,
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: '00f067aa0ba902b7',
} as RequestSpan

function measured(limit?: number) {
  const registry = new MetricsRegistry()
  const durations = new RequestDurations(registry.open(), limit)
  return {
    end: (seconds: number, { method = 'GET', status = 200, span = null as RequestSpan | null } = {}) =>
      durations.ended({
        exchange: exchangeFor(method, 'http://app.example.com/'),
        method,
        outcome: { response: respond(status), end: 'sent' },
        startedAt: performance.now() - seconds * 1000,
        span,
      }),
    text: async (format: ScrapeFormat = 'prometheus') => String(await prometheusText(registry.collect(), format)),
  }
}

describe('http.server.request.duration', () => {
  test('is a histogram with cumulative buckets, by route, method, status and scheme', async () => {
    const { end, text } = measured()
    for (const seconds of [0.001, 0.02, 0.02, 20]) end(seconds)
    const written = await text()
    const labels = 'http_request_method="GET",http_response_status_code="200",http_route="",url_scheme="http"'
    for (const line of [
      '# TYPE http_server_request_duration_seconds histogram',
      `http_server_request_duration_seconds_bucket{${labels},le="0.005"} 1`,
      `http_server_request_duration_seconds_bucket{${labels},le="0.01"} 1`,
      `http_server_request_duration_seconds_bucket{${labels},le="0.025"} 3`,
      `http_server_request_duration_seconds_bucket{${labels},le="10"} 3`,
      `http_server_request_duration_seconds_bucket{${labels},le="+Inf"} 4`,
      `http_server_request_duration_seconds_count{${labels}} 4`,
    ])
      assert.ok(written.includes(`${line}\n`), `${line} in\n${written}`)
  })

  test('exemplars of sampled traces are in OpenMetrics, never in the text format 0.0.4', async () => {
    const { end, text } = measured()
    end(0.02, { span: SPAN })
    assert.ok(!(await text()).includes(SPAN.traceId))
    const written = await text('openmetrics')
    assert.match(
      written,
      /_bucket\{[^}]*le="0.025"\} 1 # \{trace_id="0af7651916cd43dd8448eb211c80319c",span_id="00f067aa0ba902b7"\} 0\.02\d* \d+\.\d{3}\n/,
    )
    assert.match(written, /le="1\.0"/)
    assert.match(written, /# EOF\n$/)
  })

  test('unknown methods are one series, and further series share one', async () => {
    const { end, text } = measured(2)
    for (const method of ['GET', 'PROPFIND', 'MKCOL', 'LOCK']) end(0.01, { method })
    const written = await text()
    assert.match(written, /http_request_method="_OTHER"/)
    assert.match(written, /_count\{otel_metric_overflow="true"\} 2\n/)
    assert.ok(!written.includes('PROPFIND'))
  })
})
