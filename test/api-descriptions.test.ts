// The data files that describe endpoints of the management API for clients.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { apiDescriptions } from '#crest'
import type { JsonObject } from '#json'

const root = join(import.meta.dirname, '..')
const TEXT = { type: 'string', minLength: 1 }
const JSON_SCHEMA = { $ref: 'https://json-schema.org/draft/2020-12/schema' }
const PARAMETERS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'description'],
    properties: { name: TEXT, description: TEXT, required: { type: 'boolean' } },
    additionalProperties: false,
  },
}
const isValid = new Ajv2020({ strict: false, formats: { regex: true } }).compile({
  type: 'object',
  properties: {
    endpoints: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        type: 'object',
        required: ['id', 'title', 'description', 'version', 'schema'],
        properties: {
          id: { type: 'string', pattern: '^gateway(:[a-z]+)+$' },
          title: TEXT,
          description: { type: 'string', pattern: '\\.$' },
          version: { type: 'string', pattern: '^\\d+\\.\\d+$' },
          schema: JSON_SCHEMA,
          answer: JSON_SCHEMA,
          idPattern: TEXT,
          ids: { enum: ['client', 'server', 'both'] },
          revisions: { type: 'boolean' },
          fieldRevisions: { type: 'object', additionalProperties: TEXT },
        },
        additionalProperties: false,
      },
    },
    actions: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['description'],
        properties: {
          description: { type: 'string', pattern: '\\.$' },
          parameters: PARAMETERS,
          request: JSON_SCHEMA,
          response: JSON_SCHEMA,
        },
        additionalProperties: false,
      },
    },
  },
})

const files = globSync('src/**/*-descriptions.json', { cwd: root })

test('the descriptions of endpoints have the members that the protocol knows, and valid schemas', () => {
  assert.ok(files.length > 0)
  for (const file of files) {
    const descriptions = apiDescriptions(JSON.parse(readFileSync(join(root, file), 'utf8')))
    assert.ok(isValid(descriptions), `${file}: ${JSON.stringify(isValid.errors)}`)
  }
})

test('the parts that descriptions name exist, and each is named more than once', () => {
  for (const file of files) {
    const data = JSON.parse(readFileSync(join(root, file), 'utf8')) as JsonObject
    const named = JSON.stringify(data).matchAll(/"\.\.\.":(?:"([^"]+)"|\[([^\]]+)\])/g)
    const names = [...named].flatMap(([, name, list]) => (name === undefined ? JSON.parse(`[${list}]`) : [name]))
    const uses = Map.groupBy(names as string[], (name) => name)
    assert.deepEqual([...uses.keys()].sort(), Object.keys((data['parts'] ?? {}) as JsonObject).sort(), file)
    for (const [name, { length }] of uses) assert.ok(length > 1, `${file}: ${name} is named once`)
  }
})
