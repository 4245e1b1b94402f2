// Requests that the management API sends through the traffic connector, with their way through filters and handlers.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { respond } from '#http'
import type { JsonObject } from '#json'
import { RunningGateway } from '#test/gateway'
import { listening } from '#test/listening'
import { managing } from '#test/management'

const SEND = '/api/monitor/trace?_action=send'

const header = (messageType: 'REQUEST' | 'RESPONSE', fields: JsonObject) => ({
  type: 'HeaderFilter',
  config: { messageType, ...fields },
})

describe('a traced request', () => {
  let gateway: RunningGateway
  let upstream: Awaited<ReturnType<typeof listening>>
  let ask: ReturnType<typeof managing>
  const seen: string[][] = []

  before(async () => {
    upstream = await listening(async ({ request }) => {
      seen.push(request.headers.names())
      const text = request.uri.path.endsWith('/large') ? 'x'.repeat(300_000) : 'answer'
      return respond(201, { 'X-From': 'upstream' }, text)
    })
    gateway = await RunningGateway.start({
      units: 2,
      env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
      routes: {
        chain: {
          condition: "${find(request.uri.path, '^/chain')}",
          baseURI: upstream.url,
          heap: [
            {
              name: 'add-headers',
              ...header('REQUEST', { add: { 'X-Added': ['1'], Authorization: ['Bearer s3cret'] } }),
            },
          ],
          handler: {
            type: 'Chain',
            config: {
              filters: ['add-headers', header('RESPONSE', { remove: ['X-From'], add: { 'X-Way': ['back'] } })],
              handler: 'ReverseProxyHandler',
            },
          },
        },
        stopped: {
          condition: "${request.uri.path == '/stopped'}",
          handler: {
            type: 'Chain',
            config: {
              filters: [
                {
                  name: 'stop',
                  type: 'SwitchFilter',
                  config: {
                    onRequest: [
                      {
                        condition: '${true}',
                        handler: { type: 'StaticResponseHandler', config: { status: 403, entity: 'no' } },
                      },
                    ],
                  },
                },
              ],
              handler: 'ReverseProxyHandler',
            },
          },
        },
      },
    })
    ask = managing(gateway.adminUrl)
  })

  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const send = async (body: JsonObject) => {
    const { status, json } = await ask('POST', SEND, { body })
    return { status, json, response: json['response'] as JsonObject, steps: (json['steps'] ?? []) as JsonObject[] }
  }

  test('has its response, and each filter and handler with its time and its changes', async () => {
    for (let round = 0; round < 5; round++) {
      const { status, json, response, steps } = await send({
        method: 'POST',
        uri: '/chain?secret=1',
        headers: { 'X-Sent': 'yes' },
        entity: 'hello',
      })
      assert.equal(status, 200)
      assert.deepEqual([json['route'], response['status'], response['entity']], ['chain', 201, 'answer'])
      assert.deepEqual((response['headers'] as JsonObject)['X-Way'], ['back'])
      assert.equal((response['headers'] as JsonObject)['X-From'], undefined)
      const named = (part: string) => {
        const found = steps.find(({ object }) => String(object).includes(part))
        assert.ok(found !== undefined, `${part} in ${JSON.stringify(steps.map(({ object }) => object))}`)
        return found
      }
      const added = named('add-headers')
      assert.deepEqual(added['request'], {
        headers: { 'x-added': [null, '1'], authorization: [null, '[redacted]'] },
      })
      assert.deepEqual([added['kind'], added['status'], added['responded']], ['filter', 201, false])
      assert.deepEqual(added['response'], {})
      const back = named('filters/1')
      assert.deepEqual(back['response'], { headers: { 'x-from': ['upstream', null], 'x-way': [null, 'back'] } })
      const proxy = named('ReverseProxyHandler')
      assert.deepEqual([proxy['kind'], proxy['responded']], ['handler', true])
      assert.ok(Number(proxy['depth']) > Number(added['depth']))
      assert.ok(Number(added['elapsed']) >= Number(proxy['elapsed']) && Number(added['own']) >= 0)
      assert.doesNotMatch(JSON.stringify(steps), /s3cret|secret=1/)
    }
    assert.ok(
      seen.every((names) => !names.some((name) => /trace/i.test(name))),
      'upstreams do not see the token',
    )
  })

  test('a filter that responds itself is the last step', async () => {
    const { steps, response } = await send({ uri: '/stopped' })
    assert.equal(response['status'], 403)
    const stop = steps.find(({ object }) => String(object).endsWith('+stop'))
    assert.deepEqual([stop?.['responded'], stop?.['status']], [true, 403])
    assert.ok(!steps.some(({ object }) => String(object).endsWith('+ReverseProxyHandler')))
  })

  test('a request without a route has no steps of one, and a large body is truncated', async () => {
    const missing = await send({ uri: 'http://other.example/nothing' })
    assert.deepEqual([missing.json['route'], missing.response['status']], [null, 404])
    const large = await send({ uri: '/chain/large' })
    assert.deepEqual([large.response['truncated'], String(large.response['entity']).length], [true, 262_144])
  })

  test('bad requests are 400, and a scheme without a connector too', async () => {
    for (const body of [{}, { uri: 'x' }, { uri: '/', from: '10.0.0.1' }, { uri: 'https://localhost/' }]) {
      assert.equal((await send(body as JsonObject)).status, 400, JSON.stringify(body))
    }
  })

  test('other requests are not traced, and a token of a client is an ordinary header', async () => {
    const answer = await gateway.ask('/chain', { headers: { 'X-Gateway-Trace': 'f'.repeat(64) } })
    assert.equal(answer.status, 201)
    const [, body] = await Promise.all([gateway.ask('/chain'), send({ uri: '/stopped' })])
    assert.equal(body.response['status'], 403)
  })

  test('it is described', async () => {
    const { json } = await ask('GET', '/api/monitor?_api')
    assert.ok(Object.keys(json['paths'] as object).includes('/api/monitor/trace'))
  })
})
