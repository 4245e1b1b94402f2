// Bodies of the JSON corpus, given to a collection: none is taken that is not JSON, and none is a fault.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commonRest, memoryCollection } from '#crest'
import { exchangeFor } from '#test/exchange'

const corpus = join(import.meta.dirname, '../../../shared/corpora/json/JSONTestSuite/test_parsing')

test('bodies of the JSON corpus are taken where they are JSON objects, and else 400', {
  skip: !existsSync(corpus) && 'no corpora beside the checkout',
}, async () => {
  const description = { id: 'x', title: 'x', description: 'x', version: '1.0', schema: {} }
  const handler = commonRest(memoryCollection(description), { base: '/things' })
  let seen = 0
  for (const name of readdirSync(corpus)) {
    const bytes = readFileSync(join(corpus, name))
    // Each as it is, and as a member of an object.
    const wrapped = Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from('}')])
    for (const body of [bytes, wrapped]) {
      const headers = { 'Content-Type': 'application/json' }
      const { status } = await handler(exchangeFor('POST', 'http://localhost/things', { headers, body }))
      assert.ok(status === 201 || status === 400, `${name}: ${status}`)
      if (name.startsWith('n_') && body === bytes) assert.equal(status, 400, name)
      const isDuplicate = name.includes('duplicated_key')
      if (name.startsWith('y_') && body === wrapped && !isDuplicate) assert.equal(status, 201, name)
      if (isDuplicate) assert.equal(status, 400, name)
    }
    seen++
  }
  assert.ok(seen > 300)
})
