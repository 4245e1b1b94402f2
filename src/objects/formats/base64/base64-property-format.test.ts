import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretFormat } from '#contracts'
import { build } from '#test/build'
import { Base64PropertyFormat } from './base64-property-format.ts'

test('decodes base64', async () => {
  await using built = await build<SecretFormat>(Base64PropertyFormat, {})
  const [secret] = await built.object.decode(Buffer.from('aHVudGVyMg==\n'), assert.fail)
  assert.equal(secret?.bytes?.toString(), 'hunter2')
})

test('plain text instead of base64 is refused, without its content in the message', async () => {
  await using built = await build<SecretFormat>(Base64PropertyFormat, {})
  await assert.rejects(built.object.decode(Buffer.from('hunter2!'), assert.fail), {
    message: 'expected base64, found another character; use the format PLAIN for plain text',
  })
})

test('a line break encoded with the password gives a warning', async () => {
  await using built = await build<SecretFormat>(Base64PropertyFormat, {})
  const warnings: string[] = []
  await built.object.decode(Buffer.from(btoa('hunter2\n')), (message) => warnings.push(message))
  assert.equal(warnings.length, 1)
})
