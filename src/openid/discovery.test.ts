import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, Response } from '#http'
import { manualClock } from '#test/build'
import { Discovery } from './discovery.ts'

const URL_ = 'https://i/.well-known/openid-configuration'
const METADATA = { issuer: 'https://i', authorization_endpoint: 'http://i/a', jwks_uri: 'https://i/keys' }

/** The metadata as they are read from their text. */
const read = (text: string | Buffer, required: readonly string[] | null = null) =>
  new Discovery(URL_, async () => new Response(200, { body: Body.of(text) }), manualClock(), { required }).metadata()

test('only members that are used have to be https', async () => {
  const text = JSON.stringify(METADATA)
  await assert.rejects(
    read(text, ['jwks_uri', 'authorization_endpoint']),
    /"authorization_endpoint" to be an https URL/,
  )
  assert.equal((await read(text, ['jwks_uri']))['jwks_uri'], 'https://i/keys')
})

test('metadata are an object with each member once, in UTF-8', async () => {
  const twice = JSON.stringify(METADATA).replace('}', ',"jwks_uri":"https://other/keys"}')
  const invalid = Buffer.from(JSON.stringify({ ...METADATA, op_name: '\u00ff' }), 'latin1')
  for (const text of [twice, invalid, '[]'])
    await assert.rejects(read(text, ['jwks_uri']), /expected a JSON object with each member once/)
})
