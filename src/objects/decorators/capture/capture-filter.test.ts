import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { CaptureFilter } from './capture-filter.ts'

async function captured(config: JsonObject, uri = 'http://app.example/home') {
  await using built = await build<Filter>(CaptureFilter, config)
  const headers = { 'Content-Type': 'text/plain' }
  const exchange = exchangeFor('POST', uri, {
    body: 'question',
    headers: { ...headers, Authorization: 'Basic secret' },
  })
  const response = await built.object(exchange, async () => respond(200, headers, 'answer'))
  assert.equal(response.status, 200)
  return { lines: built.log.lines.filter((line) => line.includes('captured ')), warnings: built.warnings }
}

test('logs the request and the response with their entities, without credentials', async () => {
  const { lines, warnings } = await captured({})
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /http:\/\/app\.example\/home.*question.*captured request/)
  assert.match(lines[1] ?? '', /answer.*captured response/)
  assert.doesNotMatch(lines.join(''), /Basic secret/)
  assert.match(warnings.join(), /CaptureFilter is deprecated; use the decorator capture/)
})

test('logs only requests for which the condition is true, and no entity if captureEntity is false', async () => {
  const condition = "${find(request.uri.path, '^/home')}"
  assert.equal((await captured({ condition }, 'http://app.example/other')).lines.length, 0)
  const { lines } = await captured({ condition, captureEntity: false })
  assert.equal(lines.length, 2)
  assert.doesNotMatch(lines.join(''), /question|answer/)
})

test('fields for the file of OpenIG have no effect, with a warning', async () => {
  const { warnings } = await captured({ file: '/tmp/gateway.log', charset: 'UTF-8', format: 'x' })
  for (const name of ['file', 'charset', 'format']) assert.match(warnings.join(), new RegExp(`${name} has no effect`))
})
