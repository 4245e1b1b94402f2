import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body, type TemporaryStorage as BodyStorage, BodyTooLargeError } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { TemporaryStorage } from './temporary-storage.ts'

const storage = (config: JsonValue = {}) => build<BodyStorage>(TemporaryStorage, config)

test('has the defaults of the reference, in the temporary directory of the instance', async () => {
  await using built = await storage()
  assert.deepEqual(built.object.limits, {
    initialLength: 8_192,
    memoryLimit: 65_536,
    fileLimit: 1_073_741_824,
    directory: built.directory,
  })
})

test('a relative directory is created in the instance, accessible by its owner alone', async () => {
  await using built = await storage({ directory: 'bodies/large' })
  const { directory } = built.object.limits
  assert.equal(directory, join(built.directory, 'bodies', 'large'))
  assert.equal(statSync(directory).mode & 0o777, 0o700)
})

test('a body spills from memory to a file, and is rejected over the limit', async () => {
  await using built = await storage({ initialLength: 4, memoryLimit: 8, fileLimit: 16 })
  for (const length of [4, 8, 9, 16]) {
    const body = Body.fromStream(Readable.from([Buffer.alloc(length, 'x')]))
    await body.buffer(built.object)
    assert.equal(body.text(), 'x'.repeat(length))
    body.cancel()
  }
  const long = Body.fromStream(Readable.from([Buffer.alloc(10), Buffer.alloc(7)]))
  await assert.rejects(long.buffer(built.object), BodyTooLargeError)
})

test('numbers may be text, as from tokens', async () => {
  await using built = await storage({ memoryLimit: '10000', initialLength: '${5 + 5}' })
  assert.equal(built.object.limits.memoryLimit, 10_000)
  assert.equal(built.object.limits.initialLength, 10)
})

const RANGE = 'expected an integer from 1 to 2147483647'
const refusals: readonly [string, JsonValue, string][] = [
  [
    'more to begin with than there may be',
    { initialLength: 9, memoryLimit: 8 },
    'initialLength: expected at most memoryLimit (8), got 9',
  ],
  [
    'a small memory with the usual beginning',
    { memoryLimit: 100 },
    'initialLength: expected at most memoryLimit (100), got 8192',
  ],
  ['no beginning', { initialLength: 0 }, `initialLength: ${RANGE}, got 0`],
  ['no memory', { memoryLimit: 0 }, `memoryLimit: ${RANGE}, got 0`],
  ['no file', { fileLimit: -1 }, `fileLimit: ${RANGE}, got -1`],
  ['too much', { fileLimit: 2_147_483_648 }, `fileLimit: ${RANGE}, got 2147483648`],
  ['no directory', { directory: '' }, 'directory: expected a string that is not empty'],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(storage(config), { code: 'GW_CONFIG_INVALID', message: `/heap/0/config/${message}` })
  })
}

test('refuses a directory that is a file', async () => {
  await using other = await storage()
  const file = join(other.directory, 'file')
  writeFileSync(file, '')
  await assert.rejects(storage({ directory: file }), {
    code: 'GW_CONFIG_INVALID',
    message: /^\/heap\/0\/config\/directory: expected a directory that can be written to: /,
  })
})
