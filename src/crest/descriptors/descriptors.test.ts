import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { JsonObject } from '#json'
import { memoryCollection } from '#test/memory-collection'
import type { Collection, Description, Endpoint, Singleton } from '../protocol/endpoint.ts'
import { apiDescriptions } from './api-descriptions.ts'
import { crestDescriptor } from './crest-descriptor.ts'
import { openApi } from './open-api.ts'

const description: Description = {
  id: 'test:things',
  title: 'Things',
  description: 'Things of a test.',
  version: '1.0',
  schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}

const run = async () => null
const whole: Collection = {
  ...memoryCollection(description),
  actions: {
    count: {
      description: 'Counts.',
      parameters: [{ name: 'of', description: 'Of what.' }],
      request: { type: 'object' },
      run,
    },
  },
  resourceActions: { touch: { description: 'Touches.', response: { type: 'object' }, run } },
  queries: { mine: { description: 'Mine.', parameters: [{ name: 'who', description: 'Who.' }] } },
  queryExpressions: true,
}
const readOnly: Collection = {
  kind: 'collection',
  description,
  read: async (_, id) => ({ id, revision: null, content: {} }),
}
const bare: Collection = { kind: 'collection', description }
const singleton: Singleton = {
  kind: 'singleton',
  description,
  read: async () => ({ id: 'x', revision: null, content: {} }),
}
const endpoints: Readonly<Record<string, Endpoint>> = { whole, readOnly, bare, singleton }

describe('_api', () => {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    test(`of the endpoint "${name}" is a valid OpenAPI 3.1 document`, async () => {
      const document = openApi(endpoint, '/api/things')
      const result = await new Validator().validate(structuredClone(document))
      assert.equal(result.valid, true, JSON.stringify(result.errors, null, 2))
      assert.equal(document['openapi'], '3.1.0')
    })
  }

  test('has the verbs of the endpoint, and no others', () => {
    const methods = (endpoint: Endpoint) =>
      Object.entries(openApi(endpoint, '/t')['paths'] as JsonObject).map(([path, item]) => {
        return `${path} ${Object.keys(item as JsonObject)
          .filter((key) => key !== 'parameters')
          .sort()}`
      })
    assert.deepEqual(methods(whole), ['/t get,post', '/t/{id} delete,get,patch,post,put'])
    assert.deepEqual(methods(readOnly), ['/t ', '/t/{id} get'])
    assert.deepEqual(methods(singleton), ['/t get'])
  })
})

describe('parameters in _api', () => {
  const parametersOf = (endpoint: Endpoint, path: string, method: string) => {
    const item = (openApi(endpoint, '/t')['paths'] as Record<string, JsonObject>)[path] as Record<string, JsonObject>
    const list = (item[method] as JsonObject)['parameters'] as { $ref?: string; name?: string; required?: boolean }[]
    return list.map(({ $ref, name, required = false }) => `${$ref?.split('/').at(-1) ?? name}${required ? '!' : ''}`)
  }

  test('has _mimeType where a field can be read as media, and version headers where there are versions', () => {
    const media = { photo: ['image/png'] }
    assert.deepEqual(parametersOf(memoryCollection({ ...description, media }), '/t/{id}', 'get'), [
      'fields',
      'prettyPrint',
      'mimeType',
      'ifNoneMatch',
      'acceptApiVersion',
    ])
    const plain = memoryCollection({ ...description, revisions: false })
    assert.deepEqual(parametersOf(plain, '/t/{id}', 'get'), ['fields', 'prettyPrint', 'acceptApiVersion'])
    assert.deepEqual(parametersOf(plain, '/t/{id}', 'patch'), ['fields', 'prettyPrint', 'acceptApiVersion'])
  })

  test('_queryFilter is required where it is the only selector', () => {
    assert.ok(parametersOf(memoryCollection(description), '/t', 'get').includes('_queryFilter!'))
    assert.ok(parametersOf(whole, '/t', 'get').includes('queryFilter'))
  })
})

describe('_crestapi', () => {
  test('lists the operations, under its version', () => {
    const document = crestDescriptor(whole)
    const resource = (document['paths'] as JsonObject)['']
    const { '1.0': at } = resource as { '1.0': JsonObject }
    assert.deepEqual(at['create'], { mode: 'ID_FROM_SERVER' })
    const items = at['items'] as JsonObject
    assert.deepEqual(items['create'], { mode: 'ID_FROM_CLIENT' })
    assert.deepEqual(Object.keys(items), ['pathParameter', 'create', 'read', 'update', 'delete', 'patch', 'actions'])
    assert.equal((at['queries'] as unknown[]).length, 3)
  })

  for (const [ids, mode, hasPut] of [
    ['client', 'ID_FROM_CLIENT', true],
    ['server', 'ID_FROM_SERVER', false],
  ] as const) {
    test(`names the origin of ids: the ${ids}`, () => {
      const document = crestDescriptor(memoryCollection({ ...description, ids }))
      const { '1.0': at } = (document['paths'] as { '': { '1.0': JsonObject } })['']
      assert.deepEqual(at['create'], { mode })
      assert.equal('create' in (at['items'] as JsonObject), hasPut)
    })
  }

  test('leaves out missing operations', () => {
    const { '1.0': at } = (crestDescriptor(readOnly)['paths'] as { '': { '1.0': JsonObject } })['']
    assert.deepEqual(Object.keys(at), ['title', 'description', 'resourceSchema', 'mvccSupported', 'items'])
    assert.deepEqual(Object.keys(at['items'] as JsonObject), ['pathParameter', 'read'])
  })
})

describe('descriptions of a data file', () => {
  test('have the members of the parts that they name, and their own', () => {
    const { endpoints, actions } = apiDescriptions({
      parts: {
        name: { name: { type: 'string' } },
        times: { from: { type: 'integer' }, to: { '...': 'any' } },
        any: {},
      },
      endpoints: {
        things: { ...description, schema: { properties: { '...': ['name', 'times'], from: { type: 'null' } } } },
      },
      actions: { count: { description: 'Counts.', response: { anyOf: [{ '...': 'times' }] } } },
    })
    assert.deepEqual(endpoints.things, {
      ...description,
      schema: { properties: { name: { type: 'string' }, from: { type: 'null' }, to: {} } },
    })
    assert.deepEqual(actions.count, {
      description: 'Counts.',
      response: { anyOf: [{ from: { type: 'integer' }, to: {} }] },
    })
  })
})
