import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { DateHeaderFilter } from './date-header-filter.ts'

async function dateOf(headers: Record<string, string>): Promise<string | null> {
  await using built = await build<Filter>(DateHeaderFilter, {})
  const response = await built.object(exchangeFor('GET', 'http://app.example/'), async () => respond(200, headers))
  return response.headers.get('date')
}

test('a response without Date gets that of the gateway', async () => {
  assert.match((await dateOf({})) ?? '', /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
})

test('the Date of the application is kept', async () => {
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
  assert.equal(await dateOf({ Date: date }), date)
})
