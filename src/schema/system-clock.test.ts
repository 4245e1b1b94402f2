import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { once } from '#test/waiting'
import { systemClock } from './system-clock.ts'

test('monotonic time is the same in all threads', async () => {
  const module = JSON.stringify(new URL('./system-clock.ts', import.meta.url).href)
  const code = `import(${module}).then(({ systemClock }) => require('node:worker_threads').parentPort.postMessage(systemClock.monotonic()))`
  for (let round = 0; round < 2; round++) {
    const before = systemClock.monotonic()
    const worker = new Worker(code, { eval: true })
    const [inside] = (await once(worker, 'message')) as [number]
    const after = systemClock.monotonic()
    assert.ok(before < inside && inside < after, `${before} < ${inside} < ${after}`)
    await worker.terminate()
  }
})

test('monotonic time is that of the process', () => {
  const processTime = () => Number(process.hrtime.bigint()) / 1e6
  const [before, now, after] = [processTime(), systemClock.monotonic(), processTime()]
  // The origins of both are read one after the other.
  assert.ok(before - 1 < now && now < after + 1, `${before} < ${now} < ${after}`)
})
