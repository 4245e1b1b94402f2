// Traces of live requests: the way of requests of the tail through filters and handlers.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { EventSourceClient } from '#test/event-source'
import { RunningGateway } from '#test/gateway'
import { managing } from '#test/management'
import { waitUntil } from '#test/waiting'

const REQUESTS = '/api/monitor/requests'
const TRACE = '/api/monitor/trace'

describe('the trace of a live request', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof managing>

  before(async () => {
    gateway = await RunningGateway.start({
      units: 2,
      env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' },
      routes: {
        chain: {
          condition: "${find(request.uri.path, '^/chain')}",
          heap: [
            { name: 'masked', type: 'CaptureDecorator', config: { masks: { headers: ['^X-Customer-'] } } },
            { name: 'captured', type: 'CaptureFilter', config: { masks: { headers: ['^X-Account-'] } } },
          ],
          handler: {
            type: 'Chain',
            config: {
              filters: [
                {
                  name: 'add-headers',
                  type: 'HeaderFilter',
                  config: {
                    messageType: 'REQUEST',
                    add: {
                      'X-Added': ['1'],
                      Cookie: ['a=s3cret'],
                      'X-Next': ['/?code=s3cret'],
                      'X-Customer-Id': ['s3cret'],
                      'X-Account-Id': ['s3cret'],
                    },
                  },
                },
              ],
              handler: { name: 'reply', type: 'StaticResponseHandler', config: { status: 201 } },
            },
          },
        },
      },
    })
    ask = managing(gateway.adminUrl)
  })

  after(() => gateway[Symbol.asyncDispose]())

  /** Sends requests until one is shown with a trace. */
  const shown = async (stream: EventSourceClient, path: string): Promise<JsonObject> => {
    const matching = (event: JsonObject) => event['path'] === path && typeof event['trace'] === 'string'
    await waitUntil(`a traced request of ${path}`, async () => {
      await gateway.ask(path)
      return stream.events.some(matching)
    })
    return stream.events.find(matching) as JsonObject
  }

  test('has each filter and handler with its time and its changes, without credentials', async () => {
    using stream = await EventSourceClient.open(gateway.adminUrl + REQUESTS)
    const { trace, ...event } = await shown(stream, '/chain/one')
    const { status, json } = await ask('GET', `${TRACE}/${trace}`)
    const { _id, steps, ...request } = json
    assert.deepEqual([status, _id, request], [200, trace, event])
    const named = (name: string) => (steps as JsonObject[]).find(({ object }) => String(object).endsWith(name))
    const [added, reply] = [named('+add-headers'), named('+reply')]
    assert.deepEqual(added?.['request'], {
      headers: {
        'x-added': [null, '1'],
        cookie: [null, '[redacted]'],
        'x-next': [null, '/?code=[redacted]'],
        'x-customer-id': [null, '[redacted]'],
        'x-account-id': [null, '[redacted]'],
      },
    })
    assert.deepEqual([reply?.['kind'], reply?.['status'], reply?.['responded']], ['handler', 201, true])
    assert.ok(Number(added?.['elapsed']) >= Number(reply?.['elapsed']) && Number(reply?.['own']) >= 0)
    assert.doesNotMatch(JSON.stringify(json), /s3cret/)
  })

  test('exists for a filter that selects by the path', async () => {
    const filter = encodeURIComponent('path eq "/chain/rare" and status eq 201')
    using stream = await EventSourceClient.open(`${gateway.adminUrl}${REQUESTS}?_queryFilter=${filter}&rate=1`)
    for (let n = 0; n < 20; n++) await gateway.ask('/chain/often')
    await shown(stream, '/chain/rare')
  })

  test('is the same as the one returned for a request that is sent with a token', async () => {
    using stream = await EventSourceClient.open(gateway.adminUrl + REQUESTS)
    const sent: JsonObject[] = []
    // Units begin to watch a moment after the stream is open.
    await waitUntil('a request that was sent is shown', async () => {
      sent.push((await ask('POST', `${TRACE}?_action=send`, { body: { uri: '/chain/sent' } })).json)
      return stream.events.some(({ trace }) => typeof trace === 'string')
    })
    const event = await stream.next('its event', ({ trace }) => typeof trace === 'string')
    const { json } = await ask('GET', `${TRACE}/${event['trace']}`)
    const other = sent.find(({ transactionId }) => transactionId === event['transactionId'])
    const objects = (steps: unknown) => (steps as JsonObject[]).map(({ object }) => object)
    assert.deepEqual(objects(json['steps']), objects(other?.['steps']))
  })

  test('is 404 when the last stream is closed, and for other ids', async () => {
    const stream = await EventSourceClient.open(gateway.adminUrl + REQUESTS)
    const { trace } = await shown(stream, '/chain/gone')
    assert.equal((await ask('GET', `${TRACE}/${trace}`)).status, 200)
    stream[Symbol.dispose]()
    await waitUntil('the trace is discarded', async () => (await ask('GET', `${TRACE}/${trace}`)).status === 404)
    for (const id of [trace, 'x', crypto.randomUUID()]) {
      const { status, json } = await ask('GET', `${TRACE}/${id}`)
      assert.equal(status, 404)
      assert.match(String(json['message']), /no trace with this id; .* discarded after 500 more/)
    }
  })

  test('is described, and its resource is as described', async () => {
    const { json } = await ask('GET', '/api/monitor?_api')
    const paths = json['paths'] as Record<string, JsonObject>
    assert.deepEqual(Object.keys(paths[`${TRACE}/{id}`] ?? {}).includes('get'), true)
    assert.deepEqual(Object.keys(paths[TRACE] ?? {}).includes('post'), true)
    assert.match(JSON.stringify(json), /"trace":\{"type":\["string","null"\]/)
  })
})
