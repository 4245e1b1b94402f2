// The specification's "Common parameters", its reserved names, and its "Query parameters", row by row.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { filled, things } from '#test/crest-collection'

describe('Common parameters', () => {
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
    ['parent/child,/', { n: 1, parent: { child: 'x', other: 'y' }, list: [{ a: 1, b: 2 }, { a: 3 }] }],
    ['*,list/1', { n: 1, parent: { child: 'x', other: 'y' }, list: [{ a: 1, b: 2 }, { a: 3 }] }],
    ['/', { n: 1, parent: { child: 'x', other: 'y' }, list: [{ a: 1, b: 2 }, { a: 3 }] }],
  ]
  for (const [fields, expected] of rows) {
    test(`_fields: ${fields} keeps the structure, and _id and _rev`, async () => {
      const { json } = await (await filled(resource))('GET', `/things/a?_fields=${fields}`)
      const { _id: id, _rev: revision, ...rest } = json
      assert.deepEqual([id, typeof revision, rest], ['a', 'string', expected])
    })
  }

  test('_prettyPrint: formats responses and errors', async () => {
    const send = await filled(resource)
    assert.match((await send('GET', '/things/a?_prettyPrint=true')).text, /^\{\n {2}"_id": "a"/)
    assert.match((await send('GET', '/things/b?_prettyPrint=true')).text, /^\{\n {2}"code": 404/)
    assert.equal((await send('GET', '/things/a?_prettyPrint=maybe')).status, 400)
  })

  test('reserved and unknown names are 400', async () => {
    const send = await filled(resource)
    for (const name of ['_unknown', '_queryFiltr', 'field', '__proto__', '_fields~', '_pageSize', '_sortKeys']) {
      assert.equal((await send('GET', `/things/a?${name}=1`)).status, 400, name)
    }
    assert.equal((await send('GET', '/things/a?_fields=a~b')).status, 400)
    assert.equal((await send('GET', `/things/a?_fields=${'a,'.repeat(300)}a`)).status, 400)
  })
})

describe('Reserved query parameter names', () => {
  const reserved = [
    '_action',
    '_api',
    '_crestapi',
    '_fields',
    '_mimeType',
    '_pageSize',
    '_pagedResultsCookie',
    '_pagedResultsOffset',
    '_prettyPrint',
    '_queryExpression',
    '_queryFilter',
    '_queryId',
    '_sortKeys',
    '_totalPagedResultsPolicy',
  ]
  const takenByRead = new Set(['_fields', '_prettyPrint', '_mimeType', '_api', '_crestapi'])
  for (const name of reserved) {
    test(`${name} is accepted only by its operations, and never as a parameter of an action`, async () => {
      const run = async () => ({ ran: true })
      const own = [{ name: name.toLowerCase(), description: 'Not to be had.' }]
      const send = things({ resourceActions: { act: { description: 'Acts.', parameters: own, run } } })
      await send('PUT', '/things/a', { body: {} })
      if (!takenByRead.has(name)) assert.equal((await send('GET', `/things/a?${name}=1`)).status, 400)
      const isOfActions = name === '_fields' || name === '_prettyPrint'
      const { status } = await send('POST', `/things/a?_action=act&${name}=${name === '_prettyPrint' ? 'true' : 'x'}`)
      assert.equal(status, isOfActions ? 200 : 400)
    })
  }

  test('other names with an underscore are rejected, also if an action declares them', async () => {
    const run = async () => ({ ran: true })
    const parameters = [{ name: '_own', description: 'Not to be had.' }]
    const send = things({ actions: { act: { description: 'Acts.', parameters, run } } })
    assert.equal((await send('POST', '/things?_action=act&_own=1')).status, 400)
  })

  const encodings: readonly (readonly [string, number])[] = [
    ['_queryFilter=name%20eq%20%22a%2Bb%22', 200],
    ['_queryFilter=true&_fields=a%ff', 400],
    ['_queryFilter=name+eq+%22%zz%22', 400],
    ['_queryFilter=name+eq+%22%22', 200],
    ['_queryFilter=name+eq+%22%C3%28%22', 400],
    ['_queryFilter=true%', 400],
  ]
  for (const [parameters, status] of encodings) {
    test(`values must be URL-encoded: ${parameters} is ${status}`, async () => {
      assert.equal((await (await filled({ _id: 'a', name: 'a+b' }))('GET', `/things?${parameters}`)).status, status)
    })
  }
})
