import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '#http'
import { build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { httpUpstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'
import { ReverseProxyHandler } from './reverse-proxy-handler.ts'

test('metrics of a pool: open connections, active and waiting requests, at the time of the scrape', async () => {
  const held: (() => void)[] = []
  await using upstream = await httpUpstream((_request, response) => held.push(() => response.end('x')))
  await using built = await build<Handler>(ReverseProxyHandler, { connections: 2, soTimeout: '7 seconds' })
  const now = () => [...built.metrics.readings.values()].map(({ read }) => read())
  assert.deepEqual(
    [...built.metrics.readings],
    [...built.metrics.readings].filter(
      ([name, { labels }]) => name.startsWith('gw_client_') && labels?.['name'] !== '',
    ),
  )
  assert.deepEqual(now(), [0, 0, 0])
  const asked = Array.from({ length: 5 }, () => built.object(exchangeFor('GET', upstream.url)))
  await waitUntil('two requests reached the upstream', () => held.length >= 2)
  assert.deepEqual(now(), [2, 2, 3])
  for (let answered = 0; answered < 5; answered++) {
    await waitUntil('a request reached the upstream', () => held.length > 0)
    held.shift()!()
  }
  for (const response of await Promise.all(asked)) await textOf(response)
  assert.deepEqual(now(), [2, 0, 0])
})
