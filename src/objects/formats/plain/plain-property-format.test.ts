import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretFormat } from '#contracts'
import { build } from '#test/build'
import { PlainPropertyFormat } from './plain-property-format.ts'

test('a password is used unchanged', async () => {
  await using built = await build<SecretFormat>(PlainPropertyFormat, {})
  const [secret] = await built.object.decode(Buffer.from(' päss wörd'), assert.fail)
  assert.equal(secret?.bytes?.toString(), ' päss wörd')
})

test('a final line break is refused', async () => {
  await using built = await build<SecretFormat>(PlainPropertyFormat, {})
  await assert.rejects(built.object.decode(Buffer.from('hunter2\n'), assert.fail), {
    message: "expected only the password, but it ends in a line break; write it with printf '%s', without that",
  })
})

test('it has no settings', async () => {
  await assert.rejects(build(PlainPropertyFormat, { trim: true }), {
    message: '/heap/0/config/trim: unknown field',
  })
})
