// Rows of the specification's "Common REST operations", "Common REST resource", "Common REST status codes" and
// "Versioning", on a collection that has every verb and on ones that lack some.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  applyPatch,
  type Collection,
  commonRest,
  type Description,
  type Endpoint,
  memoryCollection,
  Refusal,
} from '#crest'
import type { Handler } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { exchangeFor } from '#test/exchange'

const description: Description = {
  id: 'test:things',
  title: 'Things',
  description: 'Things of a test.',
  version: '1.0',
  schema: { type: 'object', properties: { name: { type: 'string' } } },
  media: { photo: ['image/png', 'text/plain'] },
}

interface Asked {
  readonly headers?: Record<string, string>
  readonly body?: JsonValue
  /** A body as it is sent, with a Content-Type only where the headers have one. */
  readonly raw?: string | Uint8Array
}

interface Answered {
  readonly status: number
  readonly json: JsonObject
  readonly text: string
  readonly header: (name: string) => string | null
}

function client(handler: Handler): (method: string, path: string, asked?: Asked) => Promise<Answered> {
  return async (method, path, { headers = {}, body, raw } = {}) => {
    const sent = body === undefined ? raw : JSON.stringify(body)
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const exchange = exchangeFor(method, `http://localhost${path}`, {
      headers: { ...type, ...headers },
      ...(sent !== undefined && { body: sent }),
    })
    const response = await handler(exchange)
    const text = Buffer.from(await response.body.read(1e8)).toString('utf8')
    let json = {}
    if (response.headers.get('content-type')?.startsWith('application/json')) json = JSON.parse(text)
    return { status: response.status, json, text, header: (name) => response.headers.get(name) }
  }
}

function things(more: Partial<Collection> = {}, own: Partial<Description> = {}) {
  const collection: Endpoint = { ...memoryCollection({ ...description, ...own }), ...more }
  return client(commonRest(collection, { base: '/things' }))
}

async function filled(...resources: JsonObject[]) {
  const ask = things()
  for (const { _id: id, ...content } of resources) await ask('PUT', `/things/${id}`, { body: content })
  return ask
}

const revisionOf = ({ json }: Answered) => json['_rev'] as string

describe('create with an id of the server', () => {
  test('201 with the resource and its location', async () => {
    const { status, json, header } = await things()('POST', '/things?_action=create', { body: { name: 'x' } })
    assert.equal(status, 201)
    assert.match(String(json['_id']), /^[\w-]{36}$/)
    assert.deepEqual(Object.keys(json), ['_id', '_rev', 'name'])
    assert.equal(header('location'), `http://localhost/things/${json['_id']}`)
    assert.equal(header('etag'), `"${json['_rev']}"`)
  })

  test('an id in the body is used; a taken one is 409', async () => {
    const ask = things()
    assert.equal((await ask('POST', '/things?_action=CREATE', { body: { _id: 'a' } })).json['_id'], 'a')
    assert.equal((await ask('POST', '/things?_action=create', { body: { _id: 'a' } })).status, 409)
  })

  test('without _action it is a create from protocol 2.1 on', async () => {
    const versions = ['2.2', '2.1', '2.0', '1.0'].map(async (protocol) => {
      const headers = { 'Accept-API-Version': `protocol=${protocol}` }
      return (await things()('POST', '/things', { headers, body: {} })).status
    })
    assert.deepEqual(await Promise.all(versions), [201, 201, 400, 400])
  })

  test('If-None-Match other than * is 400', async () => {
    const ask = things()
    assert.equal((await ask('POST', '/things', { headers: { 'If-None-Match': '"x"' }, body: {} })).status, 400)
    assert.equal((await ask('POST', '/things', { headers: { 'If-None-Match': '*' }, body: { _id: 'a' } })).status, 201)
    assert.equal((await ask('POST', '/things', { headers: { 'If-None-Match': '*' }, body: { _id: 'a' } })).status, 412)
  })

  test('a server need not take the id of the client', async () => {
    const ask = things({}, { ids: 'server' })
    assert.notEqual((await ask('POST', '/things', { body: { _id: 'mine' } })).json['_id'], 'mine')
    assert.equal((await ask('PUT', '/things/mine', { body: {} })).status, 404)
  })
})

describe('create and update with an id of the client', () => {
  test('with If-None-Match: * the resource is created, and the request fails if it exists', async () => {
    const ask = things()
    const headers = { 'If-None-Match': '*' }
    const created = await ask('PUT', '/things/a%20b', { headers, body: { n: 1 } })
    assert.deepEqual([created.status, created.json['_id']], [201, 'a b'])
    assert.equal(created.header('location'), 'http://localhost/things/a%20b')
    assert.equal((await ask('PUT', '/things/a%20b', { headers, body: { n: 2 } })).status, 412)
    assert.equal((await ask('GET', '/things/a%20b')).json['n'], 1)
  })

  test('without the header it is created if absent and updated if present', async () => {
    const ask = things()
    assert.equal((await ask('PUT', '/things/a', { body: { n: 1, m: 1 } })).status, 201)
    const updated = await ask('PUT', '/things/a', { body: { n: 2 } })
    assert.equal(updated.status, 200)
    assert.equal('m' in updated.json, false, 'an omitted attribute is deleted')
  })

  test('If-Match: only the revision that is meant is updated', async () => {
    const ask = things()
    const rev = revisionOf(await ask('PUT', '/things/a', { body: { n: 1 } }))
    const put = async (match: string, n: number) =>
      (await ask('PUT', '/things/a', { headers: { 'If-Match': match }, body: { n } })).status
    assert.equal(await put('"other"', 2), 412)
    assert.equal(await put(`"${rev}"`, 2), 200)
    assert.equal(await put(rev, 3), 412)
    assert.equal(await put('*', 4), 200)
    assert.equal((await ask('PUT', '/things/none', { headers: { 'If-Match': '*' }, body: {} })).status, 404)
  })

  const wrong: readonly (readonly [Record<string, string>, number])[] = [
    [{ 'If-None-Match': '"x"' }, 400],
    [{ 'If-None-Match': '*', 'If-Match': '*' }, 412],
    [{ 'If-Match': '"a", "b"' }, 400],
    [{ 'If-Match': '' }, 400],
    [{ 'If-Unmodified-Since': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 409],
    [{ 'X-HTTP-Method-Override': 'DELETE' }, 400],
  ]
  for (const [headers, status] of wrong) {
    test(`${JSON.stringify(headers)} is ${status} and changes nothing`, async () => {
      const ask = await filled({ _id: 'a', n: 1 })
      assert.equal((await ask('PUT', '/things/a', { headers, body: { n: 2 } })).status, status)
      assert.equal((await ask('GET', '/things/a')).json['n'], 1)
    })
  }

  test('the _id of the body is that of the path', async () => {
    const ask = things()
    assert.equal((await ask('PUT', '/things/a', { body: { _id: 'b' } })).status, 400)
    assert.equal((await ask('PUT', '/things/a', { body: { _id: 'a', _rev: 'old' } })).status, 201)
    assert.equal((await ask('POST', '/things', { body: { _id: 5 } })).status, 400)
  })

  test('_id is case-sensitive', async () => {
    const ask = await filled({ _id: 'a', n: 1 }, { _id: 'A', n: 2 })
    assert.deepEqual([(await ask('GET', '/things/a')).json['n'], (await ask('GET', '/things/A')).json['n']], [1, 2])
  })
})

describe('read', () => {
  test('200 and the resource; 304 when If-None-Match matches the revision', async () => {
    const ask = await filled({ _id: 'a', n: 1 })
    const read = await ask('GET', '/things/a')
    assert.equal(read.status, 200)
    assert.equal(read.header('content-type'), 'application/json; charset=UTF-8')
    assert.equal(read.header('cache-control'), 'no-store')
    assert.equal(read.header('x-content-type-options'), 'nosniff')
    const again = (match: string) => ask('GET', '/things/a', { headers: { 'If-None-Match': match } })
    const same = await again(read.header('etag') as string)
    assert.deepEqual([same.status, same.text, same.header('etag')], [304, '', read.header('etag')])
    assert.equal((await again(`"x", W/"${revisionOf(read)}"`)).status, 304)
    assert.equal((await again('"x"')).status, 200)
    assert.equal((await again('*')).status, 412)
    assert.equal((await ask('GET', '/things/a', { headers: { 'If-Match': '*' } })).status, 412)
  })

  test('404 for what is not there, and below it', async () => {
    const ask = await filled({ _id: 'a' })
    for (const path of ['/things/b', '/things/', '/things/a/b', '/things//']) {
      assert.equal((await ask('GET', path)).status, 404, path)
    }
  })

  const photo = Buffer.from([0x89, 0x50, 0xff]).toString('base64url')
  test('_mimeType reads one field as what it is', async () => {
    const ask = await filled({ _id: 'a', photo, name: 'x' })
    const read = await ask('GET', '/things/a?_fields=photo&_mimeType=image/png', { headers: { Accept: 'image/png' } })
    assert.deepEqual([read.status, read.header('content-type')], [200, 'image/png'])
    assert.equal((await ask('GET', '/things/a?_fields=photo&_mimeType=text/plain')).text, photo)
    const rows = [
      ['_fields=photo,name&_mimeType=image/png', 400],
      ['_mimeType=image/png', 400],
      ['_fields=name&_mimeType=text/plain', 400],
      ['_fields=photo&_mimeType=text/html', 406],
    ] as const
    for (const [parameters, status] of rows)
      assert.equal((await ask('GET', `/things/a?${parameters}`)).status, status, parameters)
    assert.equal((await ask('GET', '/things/a', { headers: { Accept: 'image/png' } })).status, 406)
  })
})

describe('delete', () => {
  test('gives the deleted resource', async () => {
    const ask = await filled({ _id: 'a', n: 1 })
    assert.equal((await ask('DELETE', '/things/a', { headers: { 'If-Match': '"x"' } })).status, 412)
    assert.equal((await ask('DELETE', '/things/a', { headers: { 'If-None-Match': '"x"' } })).status, 412)
    const { status, json } = await ask('DELETE', '/things/a?_fields=n')
    assert.deepEqual([status, json['n']], [200, 1])
    assert.equal((await ask('DELETE', '/things/a')).status, 404)
  })
})

describe('patch', () => {
  const patch = [{ operation: 'increment', field: '/n', value: 1 }]
  test('gives the patched resource, of the revision that is meant', async () => {
    const ask = await filled({ _id: 'a', n: 1 })
    const rev = revisionOf(await ask('GET', '/things/a'))
    const patched = await ask('PATCH', '/things/a', { headers: { 'If-Match': `"${rev}"` }, body: patch })
    assert.deepEqual([patched.status, patched.json['n']], [200, 2])
    assert.notEqual(revisionOf(patched), rev)
    assert.equal((await ask('PATCH', '/things/a', { headers: { 'If-Match': `"${rev}"` }, body: patch })).status, 412)
    assert.equal((await ask('PATCH', '/things/none', { body: patch })).status, 404)
  })

  test('all or nothing', async () => {
    const ask = await filled({ _id: 'a', n: 1 })
    assert.equal(
      (await ask('PATCH', '/things/a', { body: [...patch, { operation: 'increment', field: '/x', value: 1 }] })).status,
      400,
    )
    assert.equal(
      (await ask('PATCH', '/things/a', { body: [...patch, { operation: 'copy', field: '/x', from: '/y' }] })).status,
      409,
    )
    assert.equal((await ask('PATCH', '/things/a', { body: { operation: 'remove' } })).status, 400)
    assert.equal((await ask('PATCH', '/things/a')).status, 400)
    assert.equal(
      (await ask('PATCH', '/things/a', { body: [{ operation: 'transform', field: '/n', value: {} }] })).status,
      501,
    )
    assert.equal((await ask('GET', '/things/a')).json['n'], 1)
  })
})

describe('actions', () => {
  const actions: Collection['actions'] = {
    double: {
      description: 'Doubles.',
      parameters: [{ name: 'n', description: 'A number.', required: true }],
      run: async (_, { parameters, body }) => ({ n: Number(parameters['n']) * 2, body }),
    },
    quiet: { description: 'Says nothing.', run: async () => null },
  }
  const resourceActions: Collection['actions'] = {
    name: { description: 'Its id.', run: async (_, { id }) => ({ id }) },
  }

  test('200 with a body, or 204 when there is nothing to return', async () => {
    const ask = things({ actions, resourceActions })
    assert.deepEqual((await ask('POST', '/things?_action=double&n=4')).json, { n: 8, body: null })
    assert.deepEqual((await ask('POST', '/things?_action=double&n=4&_fields=n', { body: [1] })).json, { n: 8 })
    const quiet = await ask('POST', '/things?_action=quiet')
    assert.deepEqual([quiet.status, quiet.text], [204, ''])
    assert.deepEqual((await ask('POST', '/things/x?_action=name')).json, { id: 'x' })
  })

  const rows: readonly (readonly [string, number])[] = [
    ['/things?_action=unknown', 501],
    ['/things?_action=toString', 501],
    ['/things?_action=name', 501],
    ['/things/x?_action=double', 501],
    ['/things/x?_action=create', 400],
    ['/things/x', 400],
    ['/things?_action=double', 400],
    ['/things?_action=double&n=1&m=2', 400],
    ['/things?_action=quiet&_queryFilter=true', 400],
  ]
  for (const [path, status] of rows) {
    test(`POST ${path} is ${status}`, async () => {
      assert.equal((await things({ actions, resourceActions })('POST', path, { body: {} })).status, status)
    })
  }
})

describe('query', () => {
  const people = [
    { _id: 'a', name: 'Anna', age: 30 },
    { _id: 'b', name: 'Bob', age: 20 },
    { _id: 'c', name: 'Carl', age: 10 },
  ]

  test('the shape of the answer', async () => {
    const ask = await filled(...people)
    const { status, json } = await ask('GET', '/things?_queryFilter=true')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json), [
      'results',
      'resultCount',
      'pagedResultsCookie',
      'totalPagedResultsPolicy',
      'totalPagedResults',
      'remainingPagedResults',
    ])
    assert.deepEqual([json['resultCount'], json['pagedResultsCookie'], json['totalPagedResults']], [3, null, -1])
  })

  const found: readonly (readonly [string, string])[] = [
    ['_queryFilter=true', 'a b c'],
    ['_queryFilter=false', ''],
    ['_queryFilter=%2Fname+eq+%22anna%22', 'a'],
    ['_queryFilter=_id%20eq%20%22b%22', 'b'],
    ['_queryFilter=%21(age%20ge%2020)', 'c'],
    ['_queryFilter=true&_sortKeys=age', 'c b a'],
    ['_queryFilter=true&_sortKeys=%2Bage', 'c b a'],
    ['_queryFilter=true&_sortKeys=-name', 'c b a'],
    ['_queryFilter=true&_pageSize=2', 'a b'],
    ['_queryFilter=true&_pageSize=2&_pagedResultsOffset=2', 'c'],
    ['_queryFilter=true&_countOnly=true', ''],
    ['_queryFilter=age%20near%2020', ''],
    ['_QUERYFILTER=true', 'a b c'],
  ]
  for (const [parameters, ids] of found) {
    test(`${parameters} finds ${ids || 'nothing'}`, async () => {
      const { json } = await (await filled(...people))('GET', `/things?${parameters}`)
      assert.equal((json['results'] as JsonObject[]).map(({ _id: id }) => id).join(' '), ids)
    })
  }

  test('cookies lead from page to page until the last, whose cookie is null', async () => {
    const ask = await filled(...people)
    const first = (await ask('GET', '/things?_queryFilter=true&_pageSize=2&_totalPagedResultsPolicy=exact')).json
    assert.deepEqual([first['totalPagedResultsPolicy'], first['totalPagedResults']], ['EXACT', 3])
    const second = (
      await ask('GET', `/things?_queryFilter=true&_pageSize=2&_pagedResultsCookie=${first['pagedResultsCookie']}`)
    ).json
    assert.deepEqual([second['resultCount'], second['pagedResultsCookie'], second['totalPagedResults']], [1, null, -1])
  })

  test('_countOnly gives the number without the resources, from protocol 2.2 on', async () => {
    const ask = await filled(...people)
    const { json } = await ask('GET', '/things?_queryFilter=age+gt+10&_countOnly=true')
    assert.deepEqual([json['results'], json['resultCount']], [[], 2])
    const headers = { 'Accept-API-Version': 'protocol=2.1' }
    assert.equal((await ask('GET', '/things?_queryFilter=true&_countOnly=true', { headers })).status, 400)
  })

  const refused: readonly (readonly [string, number])[] = [
    ['', 400],
    ['?_pageSize=1', 400],
    ['?_queryFilter=', 400],
    ['?_queryFilter=a%20eq', 400],
    ['?_queryFilter=true&_queryId=x', 400],
    ['?_queryFilter=true&_queryExpression=x', 400],
    ['?_queryId=unknown', 501],
    ['?_queryExpression=x', 501],
    ['?_queryFilter=true&_queryFilter=true', 400],
    ['?_queryFilter=true&_queryfilter=true', 400],
    ['?_queryFilter=true&_pageSize=x', 400],
    ['?_queryFilter=true&_pageSize=-1', 400],
    ['?_queryFilter=true&_pageSize=1001', 400],
    ['?_queryFilter=true&_pageSize=1&_pagedResultsOffset=x', 400],
    ['?_queryFilter=true&_pagedResultsOffset=1', 400],
    ['?_queryFilter=true&_pagedResultsCookie=x', 400],
    ['?_queryFilter=true&_pageSize=0&_pagedResultsCookie=x', 400],
    ['?_queryFilter=true&_pageSize=1&_pagedResultsCookie=x', 400],
    ['?_queryFilter=true&_pageSize=1&_pagedResultsCookie=x&_pagedResultsOffset=1', 400],
    ['?_queryFilter=true&_totalPagedResultsPolicy=MAYBE', 400],
    ['?_queryFilter=true&_sortKeys=', 400],
    ['?_queryFilter=true&_countOnly=maybe', 400],
    ['?_queryFilter=true&_unknown=1', 400],
    ['?_queryFilter=true&other=1', 400],
    ['?_queryFilter=true&_action=create', 400],
    ['?_queryFilter=true&_mimeType=text/plain', 400],
    ['/a?_queryFilter=true', 400],
    [`?_queryFilter=${'('.repeat(20_000)}`, 400],
    [`?_queryFilter=true&_sortKeys=${'a,'.repeat(10_000)}a`, 400],
    [`?_queryFilter=true&${'a&'.repeat(20_000)}`, 400],
  ]
  for (const [path, status] of refused) {
    test(`GET /things${path.slice(0, 80)} is ${status} with a message`, async () => {
      const { status: got, json } = await (await filled(...people))('GET', `/things${path}`)
      assert.deepEqual([got, json['code'], typeof json['message']], [status, status, 'string'])
    })
  }

  test('stored queries have their own parameters and no sort keys', async () => {
    const ask = things({
      queries: { mine: { description: 'Mine.', parameters: [{ name: 'who', description: 'Who.', required: true }] } },
      queryExpressions: true,
      query: async (_, { selector }) => {
        const entries = [{ id: JSON.stringify(selector), revision: null, content: {} }]
        return { entries, cookie: null, countPolicy: 'NONE', total: -1, remaining: -1 }
      },
    })
    const { json } = await ask('GET', '/things?_queryId=mine&who=me')
    assert.deepEqual((json['results'] as JsonObject[])[0], { _id: '{"id":"mine","parameters":{"who":"me"}}' })
    assert.equal((await ask('GET', '/things?_queryId=mine')).status, 400)
    assert.equal((await ask('GET', '/things?_queryId=mine&who=me&_sortKeys=a')).status, 400)
    assert.equal((await ask('GET', '/things?_queryExpression=x')).status, 200)
  })
})

describe('common parameters', () => {
  const resource = { _id: 'a', n: 1, parent: { child: 'x', other: 'y' }, list: [{ a: 1, b: 2 }, { a: 3 }] }
  const rows: readonly (readonly [string, JsonObject])[] = [
    ['n', { n: 1 }],
    ['/n', { n: 1 }],
    ['parent/child', { parent: { child: 'x' } }],
    ['parent/child,parent/other', { parent: { child: 'x', other: 'y' } }],
    ['parent/child,parent', { parent: { child: 'x', other: 'y' } }],
    ['list/0/a,list/0/b', { list: [{ a: 1, b: 2 }] }],
    ['list/1', { list: [{ a: 3 }] }],
    ['missing,parent/missing', {}],
    ['__proto__,constructor', {}],
    ['_id', {}],
    ['', { n: 1, parent: { child: 'x', other: 'y' }, list: [{ a: 1, b: 2 }, { a: 3 }] }],
    ['/', { n: 1, parent: { child: 'x', other: 'y' }, list: [{ a: 1, b: 2 }, { a: 3 }] }],
  ]
  for (const [fields, expected] of rows) {
    test(`_fields=${fields} keeps the structure, and _id and _rev`, async () => {
      const { json } = await (await filled(resource))('GET', `/things/a?_fields=${fields}`)
      const { _id: id, _rev: revision, ...rest } = json
      assert.deepEqual([id, typeof revision, rest], ['a', 'string', expected])
    })
  }

  test('_prettyPrint formats answers and errors', async () => {
    const ask = await filled(resource)
    assert.match((await ask('GET', '/things/a?_prettyPrint=true')).text, /^\{\n {2}"_id": "a"/)
    assert.match((await ask('GET', '/things/b?_prettyPrint=true')).text, /^\{\n {2}"code": 404/)
    assert.equal((await ask('GET', '/things/a?_prettyPrint=maybe')).status, 400)
  })

  test('reserved and unknown names are 400', async () => {
    const ask = await filled(resource)
    for (const name of ['_unknown', '_queryFiltr', 'field', '__proto__', '_fields~', '_pageSize', '_sortKeys']) {
      assert.equal((await ask('GET', `/things/a?${name}=1`)).status, 400, name)
    }
    assert.equal((await ask('GET', '/things/a?_fields=a~b')).status, 400)
    assert.equal((await ask('GET', `/things/a?_fields=${'a,'.repeat(300)}a`)).status, 400)
  })
})

describe('status codes', () => {
  test('405 for a method that the path does not have', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, header } = await things()(method, '/things', { body: {} })
      assert.deepEqual([status, header('allow')], [405, 'GET, HEAD, POST'])
    }
  })

  test('501 for a verb that the provider leaves out, and for methods the protocol does not have', async () => {
    const bare = client(commonRest({ kind: 'collection', description }, { base: '/things' }))
    const rows = [
      ['POST', ''],
      ['GET', '?_queryFilter=true'],
      ['GET', '/a'],
      ['PUT', '/a'],
      ['DELETE', '/a'],
      ['PATCH', '/a'],
      ['OPTIONS', ''],
    ] as const
    for (const [method, path] of rows)
      assert.equal((await bare(method, `/things${path}`, { body: [] })).status, 501, method)
  })

  test('428 where versions are required', async () => {
    const ask = things({}, { requiresRevision: true })
    const rev = revisionOf(await ask('PUT', '/things/a', { body: { n: 1 } }))
    assert.equal((await ask('PUT', '/things/a', { body: { n: 2 } })).status, 428)
    assert.equal((await ask('DELETE', '/things/a')).status, 428)
    assert.equal((await ask('PATCH', '/things/a', { body: [] })).status, 428)
    assert.equal((await ask('PUT', '/things/a', { headers: { 'If-Match': rev }, body: { n: 2 } })).status, 200)
    assert.equal((await ask('DELETE', '/things/a', { headers: { 'If-Match': '*' } })).status, 200)
  })

  for (const status of [401, 403, 404, 409, 410, 412, 500, 503]) {
    test(`${status} by a provider that says so, with its detail`, async () => {
      const ask = things({ read: async () => new Refusal(status, 'why', { detail: { a: 1 } }) })
      const { json, status: got } = await ask('GET', '/things/a')
      assert.equal(got, status)
      assert.deepEqual([json['code'], json['message'], json['detail']], [status, 'why', { a: 1 }])
    })
  }

  test('B86: 500 for a fault, and nothing of it in the answer', async () => {
    const ask = things({ read: async () => Promise.reject(new Error('/secret/path')) })
    const { status, text } = await ask('GET', '/things/a')
    assert.equal(status, 500)
    assert.doesNotMatch(text, /secret|at /)
  })

  const bodies: readonly (readonly [string, Asked, number])[] = [
    ['no body', {}, 400],
    ['a list', { body: [] }, 400],
    ['a text', { body: 'x' }, 400],
    ['null', { body: null }, 400],
    ['another media type', { raw: '{}', headers: { 'Content-Type': 'text/plain' } }, 415],
    ['a form', { raw: '{}', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 415],
    ['no media type', { raw: '{}' }, 415],
    ['another charset', { raw: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } }, 415],
    ['the charset', { raw: '{}', headers: { 'Content-Type': 'application/json;charset=UTF-8' } }, 201],
    ['a compressed body', { body: {}, headers: { 'Content-Encoding': 'gzip' } }, 415],
    ['what the client does not take', { body: {}, headers: { Accept: 'text/html' } }, 406],
    ['JSON with q=0', { body: {}, headers: { Accept: '*/*, application/json;q=0' } }, 406],
    ['anything', { body: {}, headers: { Accept: 'text/html, */*;q=0.1' } }, 201],
  ]
  const json = { 'Content-Type': 'application/json' }
  const raws: readonly (readonly [string, string | Uint8Array, number])[] = [
    ['no JSON', '{', 400],
    ['data after the JSON', '{} x', 400],
    ['a comment', '{} // x', 400],
    ['duplicate members', '{"a":1,"a":2}', 400],
    ['a number that is too large', '{"a":1e999999}', 400],
    ['100,000 levels', '['.repeat(100_000), 400],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400],
    ['a byte order mark', '\ufeff{}', 400],
    ['more than 20,000 values', `{"a":[${'1,'.repeat(20_000)}1]}`, 400],
    ['a long text full of commas', `{"a":"${',\\"'.repeat(50_000)}"}`, 201],
    ['more than a mebibyte', `{"a":"${'x'.repeat(1_100_000)}"}`, 413],
  ]
  for (const [what, asked, status] of [
    ...bodies,
    ...raws.map(([what, raw, status]) => [what, { raw, headers: json }, status] as const),
  ]) {
    test(`a create with ${what} is ${status}`, async () => {
      const ask = things()
      assert.equal((await ask('POST', '/things', asked)).status, status)
      const { json: all } = await ask('GET', '/things?_queryFilter=true&_countOnly=true')
      assert.equal(all['resultCount'], status === 201 ? 1 : 0)
    })
  }
})

describe('versioning', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['protocol=2.2,resource=1.0', 200],
    ['resource=1.0, protocol=2.1', 200],
    ['protocol=1.0', 200],
    ['protocol=2', 200],
    ['resource=1', 200],
    ['', 200],
    ['protocol=2.3', 406],
    ['protocol=3.0', 406],
    ['resource=1.1', 406],
    ['resource=2.0', 406],
    ['2.0', 400],
    ['protocol=', 400],
    ['protocol=2.x', 400],
    ['protocol=2.1,protocol=2.1', 400],
    ['protocol=2.1,', 400],
    ['version=1', 400],
    ['protocol=2.1;resource=1.0', 400],
  ]
  for (const [value, status] of rows) {
    test(`Accept-API-Version: ${value} is ${status}`, async () => {
      const answer = await (await filled({ _id: 'a' }))('GET', '/things/a', {
        headers: { 'Accept-API-Version': value },
      })
      assert.equal(answer.status, status)
    })
  }

  test('answers say their versions', async () => {
    const { header } = await (await filled({ _id: 'a' }))('GET', '/things/a')
    assert.equal(header('content-api-version'), 'protocol=2.2,resource=1.0')
  })
})

test('B76: members of any name are stored as own members, and change nothing else', async () => {
  const ask = things()
  const raw = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  await ask('PUT', '/things/__proto__', { raw, headers: { 'Content-Type': 'application/json' } })
  const { text } = await ask('GET', '/things/__proto__?_fields=__proto__/polluted')
  assert.match(text, /"__proto__":\{"polluted":1\}/)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

test('B78: of 50 creates of one id one wins, of 50 updates of one revision one wins', async () => {
  const ask = things()
  const statuses = async (headers: Record<string, string>) => {
    const all = Array.from({ length: 50 }, (_, n) => ask('PUT', '/things/a', { headers, body: { n } }))
    return Map.groupBy(await Promise.all(all), ({ status }) => status)
  }
  const created = await statuses({ 'If-None-Match': '*' })
  assert.deepEqual([created.get(201)?.length, created.get(412)?.length], [1, 49])
  const rev = revisionOf(await ask('GET', '/things/a'))
  // The one that wrote what was there already changes no revision, and so may not be the only one.
  const updated = await statuses({ 'If-Match': rev })
  assert.ok((updated.get(200)?.length ?? 0) <= 2 && (updated.get(412)?.length ?? 0) >= 48)
})

test('a singleton has no ids', async () => {
  let content: JsonObject = { n: 1 }
  const resource = () => ({ id: 'info', revision: null, content })
  const ask = client(
    commonRest(
      {
        kind: 'singleton',
        description,
        read: async () => resource(),
        patch: async (_, operations) => {
          content = await applyPatch(content, operations)
          return resource()
        },
      },
      { base: '/info' },
    ),
  )
  assert.deepEqual((await ask('GET', '/info')).json, { _id: 'info', n: 1 })
  assert.equal((await ask('PATCH', '/info', { body: [{ operation: 'increment', field: 'n', value: 1 }] })).json['n'], 2)
  const rows = [
    ['GET', '/x', 404],
    ['GET', '?_queryFilter=true', 400],
    ['DELETE', '', 405],
    ['PUT', '', 501],
    ['POST', '?_action=x', 501],
    ['POST', '', 400],
  ] as const
  for (const [method, path, status] of rows)
    assert.equal((await ask(method, `/info${path}`, { body: {} })).status, status, method + path)
})
