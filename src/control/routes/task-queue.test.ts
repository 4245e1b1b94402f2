import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskQueue } from './task-queue.ts'

test('tasks run one at a time in their order, urgent ones before those that wait', async () => {
  const queue = new TaskQueue()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const log: string[] = []
  const task =
    (name: string, until: Promise<void> = Promise.resolve()) =>
    async (): Promise<string> => {
      log.push(`begin ${name}`)
      await until
      log.push(`end ${name}`)
      return name
    }
  const first = queue.run(task('a', opened))
  await Promise.resolve()
  await Promise.resolve()
  const others = [
    queue.run(task('b')),
    queue.run(task('c'), { isUrgent: true }),
    queue.run(async () => {
      throw new Error('d')
    }),
    queue.run(task('e'), { isUrgent: true }),
  ]
  const settled = Promise.allSettled(others)
  open()
  assert.equal(await first, 'a')
  assert.deepEqual(
    (await settled).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['b', 'c', 'Error: d', 'e'],
  )
  const order = ['a', 'c', 'e', 'b'].flatMap((name) => [`begin ${name}`, `end ${name}`])
  assert.deepEqual(log, order)
  assert.equal(await queue.run(task('f')), 'f')
})
