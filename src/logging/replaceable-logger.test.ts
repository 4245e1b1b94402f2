import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog } from './destination.ts'
import { createLogger } from './logger.ts'
import { ReplaceableLogger } from './replaceable-logger.ts'

test('entries of a replaced logger and of its children are written by the other one', () => {
  const [before, after] = [memoryLog(), memoryLog()]
  const logger = new ReplaceableLogger(createLogger({ destination: before, level: 'debug' }))
  const grandchild = logger.child({ logger: 'a' }).child({ handler: 'b' })
  grandchild.debug('1')
  logger.replace(createLogger({ destination: after, level: 'info' }))
  grandchild.debug('2')
  grandchild.limited().info({ n: 3 }, '3')
  assert.equal(grandchild.isEnabled('debug'), false)
  assert.deepEqual([grandchild.name, grandchild.level], ['a', 'info'])
  assert.deepEqual(
    before.entries.map(({ message }) => message),
    ['1'],
  )
  assert.deepEqual(
    after.entries.map(({ logger, handler, n, message }) => ({ logger, handler, n, message })),
    [{ logger: 'a', handler: 'b', n: 3, message: '3' }],
  )
})
