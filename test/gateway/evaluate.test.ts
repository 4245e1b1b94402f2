import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { managing, ROUTES } from '#test/management'

describe('_action=evaluate', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof managing>

  before(async () => {
    gateway = await RunningGateway.start({
      env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
      files: {
        'config/config.json': {
          properties: { shop: 'outer', size: 3 },
          handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } },
        },
      },
      routes: { one: pathRoute('/one', 'one', { properties: { shop: 'of the route' } }) },
    })
    ask = managing(gateway.adminUrl)
  })

  after(() => gateway[Symbol.asyncDispose]())

  const evaluate = async (expression: unknown, more: JsonObject = {}) => {
    const body = { expression, ...more }
    const { status, json } = await ask('POST', `${ROUTES}?_action=evaluate`, { body })
    return { status, json }
  }

  test('value and type of expressions for a sample request', async () => {
    const request = {
      method: 'POST',
      uri: 'https://shop.example.com/cart?id=7',
      headers: { 'Content-Type': 'application/json', 'X-Two': ['a', 'b'] },
      entity: '{ "express": true, "id": 9007199254740993 }',
    }
    for (const [expression, value, type] of [
      ['${1 + 2}', 3, 'number'],
      ['plain', 'plain', 'string'],
      ['a ${request.method} b', 'a POST b', 'string'],
      ['${request.uri.host}', 'shop.example.com', 'string'],
      ["${request.headers['x-two']}", ['a', 'b'], 'list'],
      ['${request.queryParams["id"][0]}', '7', 'string'],
      ['${request.entity.json.express}', true, 'boolean'],
      ['${request.missing}', null, 'null'],
      ["${find(request.uri.path, '^/cart')}", true, 'boolean'],
      ['${shop} ${size}', 'outer 3', 'string'],
    ] as const) {
      const { status, json } = await evaluate(expression, { request })
      assert.deepEqual([expression, status, json], [expression, 200, { value, type, truncated: false }])
    }
    const uri = await evaluate('${request.uri}', { request })
    assert.deepEqual([uri.json['value'], uri.json['type']], ['https://shop.example.com/cart?id=7', 'uri'])
    assert.equal((await evaluate('${request.method} ${request.uri.path}')).json['value'], 'GET /')
  })

  test('properties are those of the router or of a route, and a response can be given', async () => {
    assert.equal((await evaluate('${shop}', { route: 'one' })).json['value'], 'of the route')
    assert.equal((await evaluate('${shop}', { route: 'missing' })).status, 404)
    const response = { status: 404, headers: { 'X-Reason': 'gone' }, entity: 'text' }
    const { json } = await evaluate(
      "${response.status.code}${response.headers['X-Reason'][0]}${response.entity.string}",
      {
        response,
      },
    )
    assert.deepEqual(json['value'], '404gonetext', JSON.stringify(json))
  })

  test('errors have the column of a syntax error, or the reason', async () => {
    const syntax = (await evaluate('a ${1 + (2}')).json['error'] as JsonObject
    assert.match(String(syntax['message']), /expected/)
    assert.equal(syntax['column'], 11)
    const failed = (await evaluate("${'a' * 2}")).json['error'] as JsonObject
    assert.match(String(failed['message']), /expected a number/)
    assert.equal(failed['column'], undefined)
    const refused = (await evaluate('${1}', { request: { uri: '/gateway/x' } })).json['error'] as JsonObject
    assert.match(String(refused['message']), /listener would refuse/)
  })

  test('long values are truncated, and bad bodies are 400', async () => {
    const long = await evaluate('${request.entity.string}', { request: { uri: '/', entity: 'x'.repeat(100_000) } })
    assert.deepEqual([long.json['truncated'], String(long.json['value']).length], [true, 65_536])
    for (const body of [
      { expression: 1 },
      { expression: 'x'.repeat(16_385) },
      { expression: '1', request: { uri: 'x' } },
      { expression: '1', request: { uri: '/', headers: { 'a b': 'c' } } },
      { expression: '1', response: { status: 'x' } },
      { expression: '1', response: 5 },
      { expression: '1', route: 5 },
      { expression: '1', other: 5 },
    ]) {
      const { status } = await ask('POST', `${ROUTES}?_action=evaluate`, { body })
      assert.equal(status, 400, JSON.stringify(body).slice(0, 80))
    }
    assert.equal((await ask('POST', `${ROUTES}?_action=evaluate`, { body: [] })).status, 400)
  })

  test('a regular expression with exponential effort ends, and other requests are served meanwhile', async () => {
    const expression = `\${find('${'a'.repeat(40)}!', '^(a+)+$')}`
    const [{ status }, other] = await Promise.all([evaluate(expression), gateway.ask('/one')])
    assert.deepEqual([status, other.text], [200, 'one'])
  })
})
