import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { endWithProcess } from './stuck-threads.ts'

test('many threads share one listener for the exit, which is removed with the last of them', async () => {
  const before = process.listenerCount('exit')
  const threads = Array.from({ length: 3 }, () => new Worker('setInterval(() => {}, 1e6)', { eval: true }))
  for (const thread of threads) endWithProcess(thread)
  assert.equal(process.listenerCount('exit'), before + 1)
  const [first, ...others] = threads
  await first?.terminate()
  assert.equal(process.listenerCount('exit'), before + 1)
  await Promise.all(others.map((thread) => thread.terminate()))
  assert.equal(process.listenerCount('exit'), before)
})
