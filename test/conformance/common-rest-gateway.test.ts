// The specification's "Common REST status codes" and the headers of Common REST, row by row, in the management API of a
// running gateway; a collection of the test returns the codes that its collections do not use.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Refusal } from '#crest'
import type { JsonObject } from '#json'
import { things } from '#test/crest-collection'
import { pathRoute, RunningGateway } from '#test/gateway'
import type { ReceivedResponse } from '#test/send-request'

const ROUTES = '/api/system/objects/_router/routes'
const PASSWORD = 'correct-horse'

interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

describe('the management API of a gateway', () => {
  let gateway: RunningGateway

  before(async () => {
    gateway = await RunningGateway.start({
      files: { 'secrets/gateway.admin.password': PASSWORD },
      routes: { one: pathRoute('/one', 'one') },
      admin: { trustTransactionHeader: true },
    })
  })

  after(() => gateway[Symbol.asyncDispose]())

  const send = (method: string, path: string, { headers = {}, body }: Sent = {}): Promise<ReceivedResponse> => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return gateway.askAdmin(path, {
      method,
      headers: {
        Authorization: `Bearer ${PASSWORD}`,
        ...(text !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': `${Buffer.byteLength(text)}`,
        }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    })
  }
  const jsonOf = ({ text }: ReceivedResponse) => JSON.parse(text) as JsonObject

  const route = pathRoute('/two', 'two')
  const refused: readonly (readonly [string, number, string, string, Sent])[] = [
    ['400 Bad Request: malformed request', 400, 'GET', `${ROUTES}?_queryFilter=name+eq`, {}],
    [
      '400 Bad Request: an If-None-Match value other than *',
      400,
      'PUT',
      `${ROUTES}/new`,
      { headers: { 'If-None-Match': '"x"' }, body: route },
    ],
    ['401 Unauthorized', 401, 'GET', `${ROUTES}/one`, { headers: { Authorization: 'Bearer wrong' } }],
    ['403 Forbidden', 403, 'DELETE', `${ROUTES}/one`, { headers: { Origin: 'http://evil.test' } }],
    [
      '403 Forbidden: transform where it is not enabled',
      403,
      'PATCH',
      `${ROUTES}/one`,
      {
        body: [
          { operation: 'transform', field: '/name', value: { script: { type: 'text/javascript', file: 'x.js' } } },
        ],
      },
    ],
    ['404 Not Found', 404, 'GET', `${ROUTES}/none`, {}],
    ['405 Method Not Allowed', 405, 'DELETE', ROUTES, {}],
    [
      '406 Not Acceptable: an unavailable resource version',
      406,
      'GET',
      `${ROUTES}/one`,
      { headers: { 'Accept-API-Version': 'resource=9.0' } },
    ],
    [
      '406 Not Acceptable: an unavailable protocol version',
      406,
      'GET',
      `${ROUTES}/one`,
      { headers: { 'Accept-API-Version': 'protocol=9.0' } },
    ],
    ['406 Not Acceptable: no JSON', 406, 'GET', `${ROUTES}/one`, { headers: { Accept: 'text/html' } }],
    ['409 Conflict', 409, 'POST', `${ROUTES}?_action=create`, { body: { _id: 'one', ...route } }],
    ['412 Precondition Failed', 412, 'DELETE', `${ROUTES}/one`, { headers: { 'If-Match': '"other"' } }],
    [
      '415 Unsupported Media Type',
      415,
      'PUT',
      `${ROUTES}/one`,
      { headers: { 'Content-Type': 'application/xml' }, body: route },
    ],
    ['501 Not Implemented', 501, 'POST', `${ROUTES}?_action=fly`, { body: {} }],
  ]
  for (const [row, status, method, path, sent] of refused) {
    test(`${row}: error body, not cacheable, no change`, async () => {
      const answer = await send(method, path, sent)
      const { code, reason, message } = jsonOf(answer)
      assert.deepEqual([answer.status, code], [status, status])
      assert.equal(reason, row.split(':')[0]?.slice(4))
      assert.equal(typeof message, 'string')
      assert.equal(answer.headers['content-type'], 'application/json; charset=UTF-8')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.deepEqual(jsonOf(await send('GET', `${ROUTES}?_queryFilter=true&_countOnly=true`))['resultCount'], 1)
      assert.equal((await gateway.ask('/one')).text, 'one')
    })
  }

  test('200 OK and 304 Not Modified', async () => {
    const read = await send('GET', `${ROUTES}/one`)
    assert.deepEqual([read.status, jsonOf(read)['_id']], [200, 'one'])
    const etag = read.headers.etag as string
    const again = await send('GET', `${ROUTES}/one`, { headers: { 'If-None-Match': etag } })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
  })

  test('201 Created, and the header Location: the location of the created resource', async () => {
    const created = await send('POST', `${ROUTES}?_action=create`, { body: route })
    assert.equal(created.status, 201)
    const location = created.headers.location as string
    assert.equal(location, `${gateway.adminUrl}${ROUTES}/${jsonOf(created)['_id']}`)
    const path = location.slice(gateway.adminUrl.length)
    assert.equal((await send('GET', path)).status, 200)
    assert.equal((await send('DELETE', path)).status, 200)
    const put = await send('PUT', `/gateway${ROUTES}/two`, { body: route })
    assert.deepEqual([put.status, put.headers.location], [201, `${gateway.adminUrl}/gateway${ROUTES}/two`])
    const updated = await send('PUT', `${ROUTES}/two`, { body: route })
    assert.deepEqual([updated.status, updated.headers.location], [200, undefined])
    await send('DELETE', `${ROUTES}/two`)
  })

  test('the header Accept-API-Version: protocol=<version>,resource=<version>, repeated in the response', async () => {
    const { status, headers } = await send('GET', `${ROUTES}/one`, {
      headers: { 'Accept-API-Version': 'protocol=2.1,resource=1.0' },
    })
    assert.deepEqual([status, headers['content-api-version']], [200, 'protocol=2.1,resource=1.0'])
    const malformed = await send('GET', `${ROUTES}/one`, { headers: { 'Accept-API-Version': '2.1' } })
    assert.equal(malformed.status, 400)
  })

  test('the header X-Vendor-TransactionId: an id with a sequence number, recorded with a change', async () => {
    await send('PUT', `${ROUTES}/tracked`, { body: route, headers: { 'X-Vendor-TransactionId': 'order-17/3' } })
    await send('DELETE', `${ROUTES}/tracked`, { headers: { 'X-Vendor-TransactionId': 'order-17/4' } })
    const lines = gateway.log.lines.map((line) => JSON.parse(line) as JsonObject)
    const changes = lines.filter(({ transactionId }) => String(transactionId).startsWith('order-17'))
    assert.deepEqual(
      changes.filter(({ route: id }) => id === 'tracked').map(({ operation }) => operation),
      ['create', 'delete'],
    )
  })

  test('the headers If-Match, If-None-Match: only the named revision', async () => {
    const put = (headers: Record<string, string>) => send('PUT', `${ROUTES}/versioned`, { headers, body: route })
    assert.equal((await put({ 'If-Match': '*' })).status, 404)
    const { headers } = await put({ 'If-None-Match': '*' })
    assert.equal((await put({ 'If-None-Match': '*' })).status, 412)
    assert.equal((await put({ 'If-Match': headers.etag as string })).status, 200)
    assert.equal((await send('DELETE', `${ROUTES}/versioned`, { headers: { 'If-Match': '*' } })).status, 200)
  })

  test('versioning, rule 5: descriptors document the API as it is configured', async () => {
    for (const path of [ROUTES, '/api/info', '/api/system/types', '/metrics/api', '/api/audit/config']) {
      const document = jsonOf(await send('GET', `${path}?_api`))
      const { valid, errors } = await new Validator().validate(structuredClone(document))
      assert.equal(valid, true, JSON.stringify(errors))
      assert.ok(Object.keys(document['paths'] as JsonObject).includes(path), path)
      assert.match(String(jsonOf(await send('GET', `${path}?_crestapi`))['id']), /^frapi:gateway:/)
    }
  })
})

test('204 No Content: an action that returns nothing', async () => {
  const send = things({ actions: { rest: { description: 'Does nothing.', run: async () => null } } })
  const { status, text } = await send('POST', '/things?_action=rest')
  assert.deepEqual([status, text], [204, ''])
})

test('410 Gone: a resource that was permanently removed', async () => {
  const send = things({ read: async () => new Refusal(410, 'it has expired') })
  assert.equal((await send('GET', '/things/a')).status, 410)
})

test('428 Precondition Required: a collection that requires a revision', async () => {
  const send = things({}, { requiresRevision: true })
  await send('PUT', '/things/a', { body: {} })
  assert.equal((await send('PUT', '/things/a', { body: { n: 1 } })).status, 428)
})

test('500 Internal Server Error: a provider that fails', async () => {
  const send = things({ query: async () => Promise.reject(new Error('of the provider')) })
  const { status, text } = await send('GET', '/things?_queryFilter=true')
  assert.equal(status, 500)
  assert.doesNotMatch(text, /of the provider/)
})

test('503 Service Unavailable: a provider that is temporarily unavailable', async () => {
  const send = things({ read: async () => new Refusal(503, 'later', { headers: { 'Retry-After': '5' } }) })
  const { status, header } = await send('GET', '/things/a')
  assert.deepEqual([status, header('retry-after')], [503, '5'])
})
