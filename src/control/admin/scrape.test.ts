import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { MetricSample } from '#contracts'
import { exchangeFor } from '#test/exchange'
import { scrapeHandler } from './scrape.ts'

const SAMPLE: MetricSample = { name: 'gw_x_total', help: 'Xs.', type: 'counter', labels: {}, value: 3, since: 0 }
const TEXT = '# HELP gw_x_total Xs.\n# TYPE gw_x_total counter\ngw_x_total 3\n'

const scrapeOf = () => exchangeFor('GET', 'http://localhost/metrics/prometheus')

test('concurrent scrapes share one collection', async () => {
  let collections = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const scrape = scrapeHandler(async () => {
    collections++
    await promise
    return [SAMPLE]
  })
  const all = Array.from({ length: 50 }, () => scrape(scrapeOf()))
  resolve()
  const texts = new Set((await Promise.all(all)).map(({ body }) => body.text()))
  assert.deepEqual([collections, [...texts]], [1, [TEXT]])
  await scrape(scrapeOf())
  assert.equal(collections, 2)
})

test('a failed collection is not cached for later scrapes', async () => {
  let fails = true
  const scrape = scrapeHandler(async () => {
    if (fails) throw new Error('not now')
    return []
  })
  await assert.rejects(scrape(scrapeOf()), /not now/)
  fails = false
  assert.equal((await scrape(scrapeOf())).status, 200)
})

test('gzip is sent to clients that accept it', async () => {
  const scrape = scrapeHandler(async () => [SAMPLE])
  const answerTo = (accepted: string | string[]) =>
    scrape(exchangeFor('GET', 'http://localhost/', { headers: { 'Accept-Encoding': accepted } }))
  for (const accepted of ['gzip', 'br, GZIP;q=0.5', 'gzip; q=1.0, identity', ['br', 'gzip']]) {
    const { headers, body } = await answerTo(accepted)
    assert.equal(headers.get('content-encoding'), 'gzip', String(accepted))
    assert.equal(headers.get('vary'), 'Accept, Accept-Encoding')
    assert.equal(gunzipSync(body.bytes()).toString('utf8'), TEXT)
  }
  for (const accepted of ['', 'identity', 'gzip;q=0', 'gzip; q=0.000', 'gzip;q=x', 'xgzip', 'br;gzip']) {
    const { headers, body } = await answerTo(accepted)
    assert.equal(headers.get('content-encoding'), null, accepted)
    assert.equal(headers.get('vary'), 'Accept, Accept-Encoding')
    assert.equal(body.text(), TEXT)
  }
})

test('OpenMetrics is sent to clients that prefer it, the path with a version is always text', async () => {
  const scrape = scrapeHandler(async () => [SAMPLE])
  const typeFor = async (accept: string, path = '/metrics/prometheus') => {
    const { headers, body } = await scrape(
      exchangeFor('GET', `http://localhost${path}`, { headers: { Accept: accept } }),
    )
    return [headers.get('content-type')?.split(';')[0], body.text()]
  }
  const open = ['application/openmetrics-text', '# HELP gw_x Xs.\n# TYPE gw_x counter\ngw_x_total 3\n# EOF\n']
  const text = ['text/plain', TEXT]
  const prometheus =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
  assert.deepEqual(await typeFor(prometheus), open)
  assert.deepEqual(await typeFor('application/openmetrics-text'), open)
  assert.deepEqual(await typeFor(prometheus, '/metrics/prometheus/0.0.4'), text)
  for (const accept of [
    '*/*',
    'text/plain',
    'application/openmetrics-text;q=0',
    'application/openmetrics-text;version=0.0.1',
    'application/openmetrics-text;q=0.5, text/plain',
    'application/openmetrics-text;q=x',
  ])
    assert.deepEqual(await typeFor(accept), text, accept)
})
