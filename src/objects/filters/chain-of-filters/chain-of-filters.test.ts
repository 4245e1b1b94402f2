import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, type Handler, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { EchoHandler, MarkFilter } from '#test/trail'
import { ChainOfFilters } from './chain-of-filters.ts'

const mark = (text: string): JsonValue => ({ type: 'MarkFilter', config: { mark: text } })
const group = (...filters: JsonValue[]): JsonValue => ({ type: 'ChainOfFilters', config: { filters } })

const groupOf = (config: JsonValue) => build<Filter>(ChainOfFilters, config, { types: [EchoHandler, MarkFilter] })

const answerWithTrail: Handler = async ({ request }) =>
  respond(200, { 'Echo-Trail': request.headers.all('trail').join(' ') })

const passed = (filter: Filter) => filter(exchangeFor('GET', 'http://app.example.com/'), answerWithTrail)

test('a request passes the filters in order, the response in reverse', async () => {
  await using built = await groupOf({ filters: [mark('a'), mark('b'), mark('c')] })

  const response = await passed(built.object)

  assert.equal(response.headers.get('echo-trail'), 'a b c')
  assert.deepEqual(response.headers.all('trail-back'), ['c', 'b', 'a'])
})

test('without filters everything passes', async () => {
  await using built = await groupOf({ filters: [] })

  const response = await passed(built.object)

  assert.equal(response.status, 200)
  assert.equal(response.headers.get('echo-trail'), '')
})

test('a group of one is that filter', async () => {
  await using built = await groupOf({ filters: [mark('only')] })
  assert.equal((await passed(built.object)).headers.get('echo-trail'), 'only')
})

test('groups can be nested', async () => {
  await using built = await groupOf({ filters: [mark('a'), group(mark('b'), group(), mark('c')), mark('d')] })
  assert.equal((await passed(built.object)).headers.get('echo-trail'), 'a b c d')
})

test('concurrent requests each continue with their own next handler', async () => {
  await using built = await groupOf({ filters: [mark('a'), mark('b')] })
  const exchange = () => exchangeFor('GET', 'http://app.example.com/')

  const answers = await Promise.all(
    [201, 202, 203].map((status) => built.object(exchange(), async () => respond(status))),
  )

  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 202, 203],
  )
})

test('refuses to load without filters', async () => {
  await assert.rejects(groupOf({}), {
    code: 'GW_CONFIG_INVALID',
    message: '/heap/0/config/filters: expected an array of Filter reference; this field is required',
  })
})

test('refuses a handler instead of a filter', async () => {
  await assert.rejects(groupOf({ filters: [mark('a'), { type: 'EchoHandler' }] }), {
    message: '/heap/0/config/filters/1: expected a Filter, got a Handler (type EchoHandler)',
  })
})

test('refuses a handler, which belongs to a Chain', async () => {
  await assert.rejects(groupOf({ filters: [], handler: { type: 'EchoHandler' } }), {
    message: '/heap/0/config/handler: unknown field',
  })
})
