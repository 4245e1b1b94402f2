import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '#test/build'
import { Leased } from './leased.ts'

/** A lease of 100 ms over a source that a test fills, breaks and holds back. */
function leasedSource() {
  const clock = manualClock()
  const events: string[] = []
  const source = { content: 'first', broken: null as string | null, reads: 0, gate: null as Promise<void> | null }
  const leased = new Leased({
    lease: 100,
    clock,
    read: async () => {
      source.reads += 1
      const { content, broken, gate } = source
      await gate
      if (broken !== null) throw new Error(broken)
      return { content, version: content }
    },
    onChange: () => events.push(`changed to ${leased.kept}`),
    onFailure: (error, kept) => events.push(`${error.message}, kept for ${kept}`),
    onRecovery: () => events.push('recovered'),
  })
  return { clock, source, leased, events }
}

test('is read when it is first wanted, and again when the lease has ended', async () => {
  const { clock, source, leased } = leasedSource()
  assert.equal(leased.kept, null)
  assert.equal(await leased.get(), 'first')
  source.content = 'second'
  clock.advance(99)
  assert.equal(await leased.get(), 'first')
  clock.advance(1)
  assert.equal(leased.kept, null)
  assert.equal(await leased.get(), 'second')
  assert.equal(source.reads, 2)
})

test('all who ask at the same time share one reading', async () => {
  const { source, leased } = leasedSource()
  const { promise, resolve } = Promise.withResolvers<void>()
  source.gate = promise
  const answers = Array.from({ length: 50 }, () => leased.get())
  resolve()
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['first']))
  assert.equal(source.reads, 1)
})

test('a refresh shows the new content before the lease ends, and nobody waits for it', async () => {
  const { source, leased, events } = leasedSource()
  await leased.get()
  const { promise, resolve } = Promise.withResolvers<void>()
  source.gate = promise
  source.content = 'second'
  const refreshed = leased.refresh()
  assert.equal(await leased.get(), 'first')
  resolve()
  await refreshed
  assert.equal(await leased.get(), 'second')
  assert.deepEqual(events, ['changed to second'])
})

test('a refresh during a reading reads once more, since that reading may be older than the change', async () => {
  const { source, leased } = leasedSource()
  const { promise, resolve } = Promise.withResolvers<void>()
  source.gate = promise
  const reading = leased.get()
  source.content = 'second'
  const refreshed = Promise.all([leased.refresh(), leased.refresh()])
  resolve()
  assert.equal(await reading, 'first')
  await refreshed
  assert.equal(await leased.get(), 'second')
  assert.equal(source.reads, 2)
})

test('what broke keeps the last good content until the lease ends, then fails, then recovers', async () => {
  const { clock, source, leased, events } = leasedSource()
  await leased.get()
  clock.advance(40)
  source.broken = 'torn'
  await leased.refresh()
  await leased.refresh()
  assert.equal(await leased.get(), 'first')
  clock.advance(60)
  await assert.rejects(leased.get(), { message: 'torn' })
  source.broken = null
  source.content = 'second'
  await leased.refresh()
  assert.equal(await leased.get(), 'second')
  assert.deepEqual(events, ['torn, kept for 60', 'recovered', 'changed to second'])
})

test('a failure is not repeated for a second unless something changed', async () => {
  const { clock, source, leased } = leasedSource()
  source.broken = 'no'
  for (let i = 0; i < 10; i++) await assert.rejects(leased.get(), { message: 'no' })
  assert.equal(source.reads, 1)
  source.broken = null
  await assert.rejects(leased.get(), { message: 'no' })
  clock.advance(1_000)
  assert.equal(await leased.get(), 'first')
})

test('content that stays the same is no change', async () => {
  const { clock, leased, events } = leasedSource()
  await leased.get()
  await leased.refresh()
  clock.advance(100)
  await leased.get()
  assert.deepEqual(events, [])
})
