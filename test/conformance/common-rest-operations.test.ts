// The specification's table "Common REST operations", its rules, and the fields of a resource, on a collection with
// all operations and on collections without some.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyPatch, type Collection, commonRest } from '#crest'
import type { JsonObject } from '#json'
import { client, description, filled, revisionOf, things } from '#test/crest-collection'

describe('Create (server ID): POST /<collection>?_action=create', () => {
  test('201 with the resource and its location', async () => {
    const { status, json, header } = await things()('POST', '/things?_action=create', { body: { name: 'x' } })
    assert.equal(status, 201)
    assert.match(String(json['_id']), /^[\w-]{36}$/)
    assert.deepEqual(Object.keys(json), ['_id', '_rev', 'name'])
    assert.equal(header('location'), `http://localhost/things/${json['_id']}`)
    assert.equal(header('etag'), `"${json['_rev']}"`)
  })

  test('an id in the body is used; an existing one is 409', async () => {
    const send = things()
    assert.equal((await send('POST', '/things?_action=CREATE', { body: { _id: 'a' } })).json['_id'], 'a')
    assert.equal((await send('POST', '/things?_action=create', { body: { _id: 'a' } })).status, 409)
  })

  test('without _action it is a create from protocol 2.1 on', async () => {
    const versions = ['2.2', '2.1', '2.0', '1.0'].map(async (protocol) => {
      const headers = { 'Accept-API-Version': `protocol=${protocol}` }
      return (await things()('POST', '/things', { headers, body: {} })).status
    })
    assert.deepEqual(await Promise.all(versions), [201, 201, 400, 400])
  })

  test('rule 1 of Create: If-None-Match other than * is 400', async () => {
    const send = things()
    assert.equal((await send('POST', '/things', { headers: { 'If-None-Match': '"x"' }, body: {} })).status, 400)
    assert.equal((await send('POST', '/things', { headers: { 'If-None-Match': '*' }, body: { _id: 'a' } })).status, 201)
    assert.equal((await send('POST', '/things', { headers: { 'If-None-Match': '*' }, body: { _id: 'a' } })).status, 412)
  })

  test('rule 2 of Create: a server may ignore the id of the client', async () => {
    const send = things({}, { ids: 'server' })
    assert.notEqual((await send('POST', '/things', { body: { _id: 'mine' } })).json['_id'], 'mine')
    assert.equal((await send('PUT', '/things/mine', { body: {} })).status, 404)
  })
})

describe('Create (client ID) and Update: PUT /<collection>/<_id>', () => {
  test('with If-None-Match: * the resource is created, and the request fails if it exists', async () => {
    const send = things()
    const headers = { 'If-None-Match': '*' }
    const created = await send('PUT', '/things/a%20b', { headers, body: { n: 1 } })
    assert.deepEqual([created.status, created.json['_id']], [201, 'a b'])
    assert.equal(created.header('location'), 'http://localhost/things/a%20b')
    assert.equal((await send('PUT', '/things/a%20b', { headers, body: { n: 2 } })).status, 412)
    assert.equal((await send('GET', '/things/a%20b')).json['n'], 1)
  })

  test('without the header it is created if absent and updated if present; rule 1 of Update: omitted fields are deleted', async () => {
    const send = things()
    assert.equal((await send('PUT', '/things/a', { body: { n: 1, m: 1 } })).status, 201)
    const updated = await send('PUT', '/things/a', { body: { n: 2 } })
    assert.equal(updated.status, 200)
    assert.equal('m' in updated.json, false, 'an omitted attribute is deleted')
  })

  test('If-Match: only the named revision is updated', async () => {
    const send = things()
    const rev = revisionOf(await send('PUT', '/things/a', { body: { n: 1 } }))
    const put = async (match: string, n: number) =>
      (await send('PUT', '/things/a', { headers: { 'If-Match': match }, body: { n } })).status
    assert.equal(await put('"other"', 2), 412)
    assert.equal(await put(`"${rev}"`, 2), 200)
    assert.equal(await put(rev, 3), 412)
    assert.equal(await put('*', 4), 200)
    assert.equal((await send('PUT', '/things/none', { headers: { 'If-Match': '*' }, body: {} })).status, 404)
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
      const send = await filled({ _id: 'a', n: 1 })
      assert.equal((await send('PUT', '/things/a', { headers, body: { n: 2 } })).status, status)
      assert.equal((await send('GET', '/things/a')).json['n'], 1)
    })
  }

  test('the _id of the body must equal that of the path', async () => {
    const send = things()
    assert.equal((await send('PUT', '/things/a', { body: { _id: 'b' } })).status, 400)
    assert.equal((await send('PUT', '/things/a', { body: { _id: 'a', _rev: 'old' } })).status, 201)
    assert.equal((await send('POST', '/things', { body: { _id: 5 } })).status, 400)
  })

  test('the field _id: unique in its collection, part of the URI, case-sensitive', async () => {
    const send = await filled({ _id: 'a', n: 1 }, { _id: 'A', n: 2 })
    assert.deepEqual([(await send('GET', '/things/a')).json['n'], (await send('GET', '/things/A')).json['n']], [1, 2])
  })
})

describe('Read: GET /<collection>/<_id>', () => {
  test('200 and the resource; 304 when If-None-Match matches the revision', async () => {
    const send = await filled({ _id: 'a', n: 1 })
    const read = await send('GET', '/things/a')
    assert.equal(read.status, 200)
    assert.equal(read.header('content-type'), 'application/json; charset=UTF-8')
    assert.equal(read.header('cache-control'), 'no-store')
    assert.equal(read.header('x-content-type-options'), 'nosniff')
    const again = (match: string) => send('GET', '/things/a', { headers: { 'If-None-Match': match } })
    const same = await again(read.header('etag') as string)
    assert.deepEqual([same.status, same.text, same.header('etag')], [304, '', read.header('etag')])
    assert.equal((await again(`"x", W/"${revisionOf(read)}"`)).status, 304)
    assert.equal((await again('"x"')).status, 200)
    assert.equal((await again('*')).status, 412)
    assert.equal((await send('GET', '/things/a', { headers: { 'If-Match': '*' } })).status, 412)
  })

  test('404 for a missing resource and for paths below it', async () => {
    const send = await filled({ _id: 'a' })
    for (const path of ['/things/b', '/things/', '/things/a/b', '/things//']) {
      assert.equal((await send('GET', path)).status, 404, path)
    }
  })

  const photo = Buffer.from([0x89, 0x50, 0xff]).toString('base64url')
  test('rules 1 and 2 of Read: _mimeType reads one field in its media type, Accept does not', async () => {
    const send = await filled({ _id: 'a', photo, name: 'x' })
    const read = await send('GET', '/things/a?_fields=photo&_mimeType=image/png', { headers: { Accept: 'image/png' } })
    assert.deepEqual([read.status, read.header('content-type')], [200, 'image/png'])
    assert.equal((await send('GET', '/things/a?_fields=photo&_mimeType=text/plain')).text, photo)
    const rows = [
      ['_fields=photo,name&_mimeType=image/png', 400],
      ['_mimeType=image/png', 400],
      ['_fields=name&_mimeType=text/plain', 400],
      ['_fields=photo&_mimeType=text/html', 406],
    ] as const
    for (const [parameters, status] of rows)
      assert.equal((await send('GET', `/things/a?${parameters}`)).status, status, parameters)
    assert.equal((await send('GET', '/things/a', { headers: { Accept: 'image/png' } })).status, 406)
  })
})

describe('Delete: DELETE /<collection>/<_id>', () => {
  test('returns the deleted resource', async () => {
    const send = await filled({ _id: 'a', n: 1 })
    assert.equal((await send('DELETE', '/things/a', { headers: { 'If-Match': '"x"' } })).status, 412)
    assert.equal((await send('DELETE', '/things/a', { headers: { 'If-None-Match': '"x"' } })).status, 412)
    const { status, json } = await send('DELETE', '/things/a?_fields=n')
    assert.deepEqual([status, json['n']], [200, 1])
    assert.equal((await send('DELETE', '/things/a')).status, 404)
  })
})

describe('Patch: PATCH /<collection>/<_id>', () => {
  const patch = [{ operation: 'increment', field: '/n', value: 1 }]
  test('returns the patched resource; only the named revision is patched', async () => {
    const send = await filled({ _id: 'a', n: 1 })
    const rev = revisionOf(await send('GET', '/things/a'))
    const patched = await send('PATCH', '/things/a', { headers: { 'If-Match': `"${rev}"` }, body: patch })
    assert.deepEqual([patched.status, patched.json['n']], [200, 2])
    assert.notEqual(revisionOf(patched), rev)
    assert.equal((await send('PATCH', '/things/a', { headers: { 'If-Match': `"${rev}"` }, body: patch })).status, 412)
    assert.equal((await send('PATCH', '/things/none', { body: patch })).status, 404)
  })

  test('operations are applied atomically', async () => {
    const send = await filled({ _id: 'a', n: 1 })
    assert.equal(
      (await send('PATCH', '/things/a', { body: [...patch, { operation: 'increment', field: '/x', value: 1 }] }))
        .status,
      400,
    )
    assert.equal(
      (await send('PATCH', '/things/a', { body: [...patch, { operation: 'copy', field: '/x', from: '/y' }] })).status,
      409,
    )
    assert.equal((await send('PATCH', '/things/a', { body: { operation: 'remove' } })).status, 400)
    assert.equal((await send('PATCH', '/things/a')).status, 400)
    assert.equal(
      (await send('PATCH', '/things/a', { body: [{ operation: 'transform', field: '/n', value: {} }] })).status,
      501,
    )
    assert.equal((await send('GET', '/things/a')).json['n'], 1)
  })
})

describe('Action: POST /<collection>[/<_id>]?_action=<action-name>', () => {
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
    const send = things({ actions, resourceActions })
    assert.deepEqual((await send('POST', '/things?_action=double&n=4')).json, { n: 8, body: null })
    assert.deepEqual((await send('POST', '/things?_action=double&n=4&_fields=n', { body: [1] })).json, { n: 8 })
    const quiet = await send('POST', '/things?_action=quiet')
    assert.deepEqual([quiet.status, quiet.text], [204, ''])
    assert.deepEqual((await send('POST', '/things/x?_action=name')).json, { id: 'x' })
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

describe('API descriptor: GET <endpoint>?_api or <endpoint>?_crestapi', () => {
  test('_api is an OpenAPI document of the endpoint, _crestapi the compact one', async () => {
    const send = things()
    const openApi = await send('GET', '/things?_api')
    assert.deepEqual([openApi.status, openApi.json['openapi']], [200, '3.1.0'])
    assert.deepEqual(Object.keys(openApi.json['paths'] as JsonObject), ['/things', '/things/{id}'])
    const compact = await send('GET', '/things?_crestapi')
    assert.deepEqual([compact.status, compact.json['id']], [200, 'frapi:test:things'])
    assert.match((await send('GET', '/things?_api&_prettyPrint=true')).text, /^\{\n {2}"openapi"/)
  })

  const refused = ['_api&_crestapi', '_api&_fields=a', '_api&_queryFilter=true', '_api&_api', '_crestapi&x=1']
  for (const parameters of refused) {
    test(`?${parameters} is 400`, async () => {
      assert.equal((await things()('GET', `/things?${parameters}`)).status, 400)
    })
  }
})

test('the field _rev: changes with the content, equal for equal content, also the ETag', async () => {
  const send = things()
  const revisions: string[] = []
  for (const n of [1, 2, 1]) {
    const answer = await send('PUT', '/things/a', { body: { n, _rev: 'of the client' } })
    assert.equal(answer.header('etag'), `"${revisionOf(answer)}"`)
    revisions.push(revisionOf(answer))
  }
  const [first, second, third] = revisions
  assert.notEqual(first, second)
  assert.equal(first, third)
})

test('B76: members of any name are stored as own properties, without side effects', async () => {
  const send = things()
  const raw = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  await send('PUT', '/things/__proto__', { raw, headers: { 'Content-Type': 'application/json' } })
  const { text } = await send('GET', '/things/__proto__?_fields=__proto__/polluted')
  assert.match(text, /"__proto__":\{"polluted":1\}/)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

test('B78: of 50 concurrent creates of one id one succeeds, of 50 concurrent updates of one revision one succeeds', async () => {
  const send = things()
  const statuses = async (headers: Record<string, string>) => {
    const all = Array.from({ length: 50 }, (_, n) => send('PUT', '/things/a', { headers, body: { n } }))
    return Map.groupBy(await Promise.all(all), ({ status }) => status)
  }
  const created = await statuses({ 'If-None-Match': '*' })
  assert.deepEqual([created.get(201)?.length, created.get(412)?.length], [1, 49])
  const rev = revisionOf(await send('GET', '/things/a'))
  // An update with unchanged content keeps the revision, so that another update may succeed too.
  const updated = await statuses({ 'If-Match': rev })
  assert.ok((updated.get(200)?.length ?? 0) <= 2 && (updated.get(412)?.length ?? 0) >= 48)
})

test('a singleton resource has no ids', async () => {
  let content: JsonObject = { n: 1 }
  const resource = () => ({ id: 'info', revision: null, content })
  const send = client(
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
  assert.deepEqual((await send('GET', '/info')).json, { _id: 'info', n: 1 })
  assert.equal(
    (await send('PATCH', '/info', { body: [{ operation: 'increment', field: 'n', value: 1 }] })).json['n'],
    2,
  )
  const rows = [
    ['GET', '/x', 404],
    ['GET', '?_queryFilter=true', 400],
    ['DELETE', '', 405],
    ['PUT', '', 501],
    ['POST', '?_action=x', 501],
    ['POST', '', 400],
  ] as const
  for (const [method, path, status] of rows)
    assert.equal((await send(method, `/info${path}`, { body: {} })).status, status, method + path)
})
