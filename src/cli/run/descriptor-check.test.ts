import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DescriptorReserve } from '#contracts'
import type { Logger } from '#logging'
import { checkDescriptors } from './descriptor-check.ts'

/** The fields of the warnings for so many open files of a limit. */
function warnings(open: number | null, limit: number): object[] {
  const found: object[] = []
  const logger = { warn: (fields: object) => found.push(fields) } as unknown as Logger
  checkDescriptors(logger, open, new DescriptorReserve('traffic', limit))
  return found
}

test('F17: a gateway that uses most of the open files from its start warns, with the number of possible clients', () => {
  assert.deepEqual(warnings(600, 1024), [{ limit: 1024, open: 600, connections: 168 }])
  assert.deepEqual(warnings(512, 1024), [])
  assert.deepEqual(warnings(512, Number.POSITIVE_INFINITY), [])
  assert.deepEqual(warnings(null, 1024), [], 'the number is not known on this system')
})

test('F17: a gateway whose limit of open files leaves no client does not start', () => {
  assert.deepEqual(warnings(767, 1024), [{ limit: 1024, open: 767, connections: 1 }])
  assert.throws(() => warnings(768, 1024), { message: 'EMFILE: 768 of 1024 are open, which leaves none for clients' })
})
