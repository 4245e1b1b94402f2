import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Executor } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { within } from '#test/waiting'
import { ScheduledExecutorService } from './scheduled-executor-service.ts'

const executor = (config: JsonValue = {}) => build<Executor>(ScheduledExecutorService, config)

/** Manual timers. */
function timersOf(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return {
    async tick(milliseconds: number) {
      t.mock.timers.tick(milliseconds)
      await settled()
    },
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

test('a task runs once, after its delay', async (t) => {
  await using built = await executor()
  const timers = timersOf(t)
  let runs = 0
  built.object.schedule(1_000, () => {
    runs++
  })
  await timers.tick(999)
  assert.equal(runs, 0)
  await timers.tick(1)
  await timers.tick(5_000)
  assert.equal(runs, 1)
})

test('a task that is cancelled does not run', async (t) => {
  await using built = await executor()
  const timers = timersOf(t)
  let runs = 0
  built.object.schedule(1_000, () => {
    runs++
  })()
  await timers.tick(2_000)
  assert.equal(runs, 0)
})

test('a repeated task runs again an interval after the end of its last run', async (t) => {
  await using built = await executor()
  const timers = timersOf(t)
  const ends: (() => void)[] = []
  built.object.repeat(1_000, () => new Promise<void>((resolve) => ends.push(resolve)))

  await timers.tick(1_000)
  assert.equal(ends.length, 1)
  await timers.tick(5_000)
  assert.equal(ends.length, 1)
  ends[0]?.()
  await settled()
  await timers.tick(999)
  assert.equal(ends.length, 1)
  await timers.tick(1)
  assert.equal(ends.length, 2)
  ends[1]?.()
})

test('a repeated task can be stopped, also while it runs', async (t) => {
  await using built = await executor()
  const timers = timersOf(t)
  let runs = 0
  const stop = built.object.repeat(10, () => {
    runs++
    if (runs === 2) stop()
  })
  await timers.tick(10)
  await timers.tick(10)
  await timers.tick(10)
  assert.equal(runs, 2)
})

test('a task that fails is logged, and a repeated one continues', async (t) => {
  await using built = await executor()
  const timers = timersOf(t)
  let runs = 0
  built.object.repeat(10, () => {
    runs++
    throw new Error('no luck')
  })
  await timers.tick(10)
  await timers.tick(10)
  assert.equal(runs, 2)
  assert.equal(built.log.entries.length, 2)
  assert.match(built.log.lines[0] as string, /"a background task failed"/)
  assert.match(built.log.lines[0] as string, /no luck/)
})

test('delays beyond the maximum of a timer work, unlimited ones never end', async (t) => {
  await using built = await executor()
  const timers = timersOf(t)
  const ran: string[] = []
  built.object.schedule(2 ** 31 + 500, () => void ran.push('long'))
  built.object.schedule(Number.POSITIVE_INFINITY, () => void ran.push('never'))
  await timers.tick(2 ** 31 - 1)
  await timers.tick(500)
  assert.deepEqual(ran, [])
  await timers.tick(1)
  assert.deepEqual(ran, ['long'])
})

test('refuses invalid times', async () => {
  await using built = await executor()
  assert.throws(() => built.object.schedule(-1, () => {}), /at least 0 milliseconds, got -1/)
  assert.throws(() => built.object.schedule(Number.NaN, () => {}), RangeError)
  assert.throws(() => built.object.repeat(0, () => {}), /more than 0 milliseconds, got 0/)
})

test('stop waits for running tasks and drops pending ones', async (t) => {
  const built = await executor()
  const timers = timersOf(t)
  const ran: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  built.object.schedule(10, async () => {
    await promise
    ran.push('running')
  })
  built.object.schedule(20, () => void ran.push('waiting'))
  built.object.repeat(20, () => void ran.push('repeated'))
  await timers.tick(10)

  let stopped = false
  const stopping = built[Symbol.asyncDispose]().then(() => {
    stopped = true
  })
  await timers.tick(9_999)
  assert.equal(stopped, false)
  resolve()
  await stopping
  assert.deepEqual(ran, ['running'])
})

test('stop ends after the grace period', async (t) => {
  const built = await executor({ gracePeriod: '2 seconds' })
  const timers = timersOf(t)
  built.object.schedule(0, () => new Promise<void>(() => {}))
  await timers.tick(1)
  let stopped = false
  const stopping = built[Symbol.asyncDispose]().then(() => {
    stopped = true
  })
  await settled()
  await timers.tick(1_999)
  assert.equal(stopped, false)
  await timers.tick(1)
  await within('the executor stopped', stopping)
})

for (const gracePeriod of ['1 day', 'unlimited']) {
  test(`stop ends after one hour with a grace period of ${gracePeriod}, which gives a warning`, async (t) => {
    const built = await executor({ gracePeriod })
    assert.deepEqual(built.warnings, [
      '/heap/0/config/gracePeriod: a stop of the gateway waits for gracePeriod: one hour is used in place of more',
    ])
    const timers = timersOf(t)
    built.object.schedule(0, () => new Promise<void>(() => {}))
    await timers.tick(1)
    let stopped = false
    const stopping = built[Symbol.asyncDispose]().then(() => {
      stopped = true
    })
    await settled()
    await timers.tick(3_599_999)
    assert.equal(stopped, false)
    await timers.tick(1)
    await within('the executor stopped', stopping)
  })
}

for (const config of [{ gracefulStop: false }, { gracePeriod: 'zero' }]) {
  test(`stop does not wait with ${JSON.stringify(config)}`, async (t) => {
    const built = await executor(config)
    const timers = timersOf(t)
    built.object.schedule(0, () => new Promise<void>(() => {}))
    await timers.tick(1)
    await within('the executor stopped', built[Symbol.asyncDispose]())
  })
}

test('a stopped executor rejects tasks', async () => {
  const built = await executor()
  await built[Symbol.asyncDispose]()
  assert.throws(() => built.object.schedule(1, () => {}), /it has stopped and accepts no more tasks/)
  assert.throws(() => built.object.repeat(1, () => {}), /it has stopped/)
})

test('the size of a pool gives a warning that it has no effect', async () => {
  await using built = await executor({ corePoolSize: 5 })
  assert.equal(built.warnings.length, 1)
  assert.match(built.warnings[0] as string, /^\/heap\/0\/config\/corePoolSize: .*there is no pool/)
})

const refusals: readonly [string, JsonValue, string][] = [
  ['a pool of nothing', { corePoolSize: 0 }, 'corePoolSize: expected an integer of at least 1, got 0'],
  [
    'an invalid grace period',
    { gracePeriod: 'soon' },
    'gracePeriod: expected a duration such as "10 seconds", got "soon"',
  ],
  ['a word for gracefulStop', { gracefulStop: 'maybe' }, 'gracefulStop: expected true or false, got "maybe"'],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(executor(config), { code: 'GW_CONFIG_INVALID', message: `/heap/0/config/${message}` })
  })
}
