import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Executor } from '#contracts'
import { Folder } from '#test/folder'
import { DirectoryWatch } from './directory-watch.ts'

/** Runs scheduled tasks on demand. */
class ManualExecutor implements Executor {
  readonly repeated = new Set<() => void | Promise<void>>()
  #scheduled = Promise.withResolvers<void>()
  readonly #soon = new Set<() => void | Promise<void>>()

  schedule(_delay: number, task: () => void | Promise<void>): () => void {
    this.#soon.add(task)
    this.#scheduled.resolve()
    return () => this.#soon.delete(task)
  }

  repeat(_interval: number, task: () => void | Promise<void>): () => void {
    this.repeated.add(task)
    return () => this.repeated.delete(task)
  }

  /** Waits until a task is scheduled, then runs it. */
  async runNext(): Promise<void> {
    await this.#scheduled.promise
    this.#scheduled = Promise.withResolvers<void>()
    const tasks = [...this.#soon]
    this.#soon.clear()
    for (const task of tasks) await task()
  }
}

function watchOf(directory: string) {
  const executor = new ManualExecutor()
  const looks = { count: 0 }
  const watch = new DirectoryWatch({
    directory,
    executor,
    check: async () => {
      looks.count += 1
    },
  })
  return { executor, looks, watch }
}

test('checks soon after a file event, once for many events', async () => {
  using folder = new Folder({ a: '1' })
  const { executor, looks, watch } = watchOf(folder.path)
  folder.write('a', '2')
  folder.write('b', '3')
  await executor.runNext()
  assert.equal(looks.count, 1)
  await watch.stop()
})

test('polls while the directory is missing, and watches it when it appears', async () => {
  using folder = new Folder()
  const { executor, looks, watch } = watchOf(folder.in('later'))
  for (const task of executor.repeated) await task()
  assert.equal(looks.count, 1)
  folder.write('later/a', '1')
  for (const task of executor.repeated) await task()
  folder.write('later/a', '2')
  await executor.runNext()
  assert.equal(looks.count, 3)
  await watch.stop()
})

test('a check of a reload does not overlap another', async () => {
  using folder = new Folder()
  const ended = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  const check = async (): Promise<void> => {
    most = Math.max(most, ++running)
    await ended.promise
    running--
  }
  const executor = new ManualExecutor()
  const watch = new DirectoryWatch({ directory: folder.path, executor, check })
  const [task] = executor.repeated
  const checks = [watch.check(), task?.(), watch.check()]
  ended.resolve()
  await Promise.all(checks)
  assert.equal(most, 1)
  await watch.stop()
})

test('checks no more once stopped', async () => {
  using folder = new Folder()
  const { executor, looks, watch } = watchOf(folder.path)
  const [task] = executor.repeated
  await watch.stop()
  assert.equal(executor.repeated.size, 0)
  await task?.()
  assert.equal(looks.count, 0)
})
