// Creates resources from the bodies of the JSON corpus: invalid JSON is rejected, and no body causes an internal error.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commonRest } from '#crest'
import { exchangeFor } from '#test/exchange'
import { memoryCollection } from '#test/memory-collection'

const corpus = join(import.meta.dirname, '../../../shared/corpora/json/JSONTestSuite/test_parsing')

test('bodies of the JSON corpus are accepted if they are JSON objects, otherwise 400', {
  skip: !existsSync(corpus) && 'no corpora beside the checkout',
}, async () => {
  const description = { id: 'x', title: 'x', description: 'x', version: '1.0', schema: {} }
  const handler = commonRest(memoryCollection(description), { base: '/things' })
  let seen = 0
  for (const name of readdirSync(corpus)) {
    const bytes = readFileSync(join(corpus, name))
    // Each unchanged, and as a member of an object.
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
