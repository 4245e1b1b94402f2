import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '#test/build'
import { CachedValue, type CachedValueSettings } from './cached-value.ts'

/** A value with a TTL of 100 ms and a failure pause of 1 s, over a source that a test changes, breaks and delays. */
function cachedSource(settings: Partial<CachedValueSettings<string>> = {}) {
  const clock = manualClock()
  const events: string[] = []
  const source = { content: 'first', broken: null as string | null, loads: 0, gate: null as Promise<void> | null }
  const cached = new CachedValue<string>({
    ttl: 100,
    failurePause: 1_000,
    clock,
    load: async () => {
      source.loads += 1
      const { content, broken, gate } = source
      await gate
      if (broken !== null) throw new Error(broken)
      return content
    },
    onLoaded: (value, previous) => {
      if (previous !== null && previous !== value) events.push(`${previous} to ${value}`)
    },
    onFailure: (error, previous, usableFor) => {
      if (error.message !== previous?.message) events.push(`${error.message}, usable for ${usableFor}`)
    },
    onRecovery: () => events.push('recovered'),
    ...settings,
  })
  /** Blocks all new loads until the returned function is called. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    source.gate = promise
    return () => {
      source.gate = null
      resolve()
    }
  }
  return { clock, source, cached, events, hold }
}

test('is loaded on first use, and again after its TTL', async () => {
  const { clock, source, cached } = cachedSource()
  assert.equal(cached.fresh, null)
  assert.equal(await cached.get(), 'first')
  source.content = 'second'
  clock.advance(99)
  assert.equal(await cached.get(), 'first')
  clock.advance(1)
  assert.deepEqual([cached.fresh, cached.last], [null, 'first'])
  assert.equal(await cached.get(), 'second')
  assert.equal(source.loads, 2)
})

test('the TTL may depend on the value', async () => {
  const { clock, source, cached } = cachedSource({ ttl: (value) => value.length })
  await cached.get()
  clock.advance(4)
  assert.equal(cached.fresh, 'first')
  clock.advance(1)
  assert.equal(cached.fresh, null)
  await cached.get()
  assert.equal(source.loads, 2)
})

test('concurrent callers share one load', async () => {
  const { source, cached, hold } = cachedSource()
  const release = hold()
  const values = Array.from({ length: 50 }, () => cached.get())
  release()
  assert.deepEqual(new Set(await Promise.all(values)), new Set(['first']))
  assert.equal(source.loads, 1)
})

test('a refresh replaces the value before its TTL ends, and callers do not wait for it', async () => {
  const { source, cached, events, hold } = cachedSource()
  await cached.get()
  const release = hold()
  source.content = 'second'
  const refreshed = cached.refresh()
  assert.equal(await cached.get(), 'first')
  release()
  await refreshed
  assert.equal(await cached.get(), 'second')
  assert.deepEqual(events, ['first to second'])
})

test('a refresh during a load loads once more, since that load may be older than the change', async () => {
  const { source, cached, hold } = cachedSource()
  const release = hold()
  const loading = cached.get()
  source.content = 'second'
  const refreshed = Promise.all([cached.refresh(), cached.refresh()])
  release()
  assert.equal(await loading, 'first')
  await refreshed
  assert.equal(await cached.get(), 'second')
  assert.equal(source.loads, 2)
})

test('after a failed refresh the last value is used until its TTL ends, then calls fail until a load succeeds', async () => {
  const { clock, source, cached, events } = cachedSource()
  await cached.get()
  clock.advance(40)
  source.broken = 'torn'
  await cached.refresh()
  await cached.refresh()
  assert.equal(await cached.get(), 'first')
  clock.advance(60)
  await assert.rejects(cached.get(), { message: 'torn' })
  source.broken = null
  source.content = 'second'
  await cached.refresh()
  assert.equal(await cached.get(), 'second')
  assert.deepEqual(events, ['torn, usable for 60', 'recovered', 'first to second'])
})

test('B61: after a failure no load is started during the pause, unless the pause is ended', async () => {
  const { clock, source, cached } = cachedSource()
  source.broken = 'no'
  for (let i = 0; i < 10; i++) await assert.rejects(cached.get(), { message: 'no' })
  assert.equal(source.loads, 1)
  source.broken = null
  await assert.rejects(cached.get(), { message: 'no' })
  clock.advance(1_000)
  assert.equal(await cached.get(), 'first')
  source.broken = 'again'
  clock.advance(100)
  await assert.rejects(cached.get(), { message: 'again' })
  source.broken = null
  cached.endPause()
  assert.equal(await cached.get(), 'first')
})

test('a stale value is returned while loads fail; the first caller waits, later ones do not', async () => {
  const { clock, source, cached, events, hold } = cachedSource({ staleTtl: 10_000 })
  await cached.get()
  clock.advance(100)
  source.broken = 'down'
  assert.equal(await cached.get(), 'first')
  clock.advance(1_000)
  const release = hold()
  assert.equal(await cached.get(), 'first')
  assert.equal(source.loads, 3)
  release()
  await assert.rejects(cached.pending!, { message: 'down' })
  clock.advance(9_000)
  await assert.rejects(cached.get(), { message: 'down' })
  assert.deepEqual(events, ['down, usable for 10000'])
})

test('an invalidated value is loaded again, and the result of an earlier load is dropped', async () => {
  const { source, cached, hold } = cachedSource()
  const release = hold()
  const early = cached.get()
  cached.invalidate()
  source.content = 'second'
  const late = cached.get()
  release()
  assert.deepEqual(await Promise.all([early, late]), ['second', 'second'])
  assert.equal(source.loads, 2)
  cached.invalidate()
  assert.equal(cached.fresh, null)
})

test('an invalidated value is returned while loads fail, within staleTtl', async () => {
  const { source, cached } = cachedSource({ staleTtl: Number.POSITIVE_INFINITY })
  await cached.get()
  source.broken = 'gone'
  cached.invalidate()
  assert.equal(await cached.get(), 'first')
  source.broken = null
  source.content = 'second'
  cached.invalidate()
  assert.equal(await cached.get(), 'second')
})

test('a second load is started beside a slow one, and the first result is used', async () => {
  const { clock, source, cached, hold } = cachedSource({ hedgeAfter: 500 })
  const release = hold()
  const slow = cached.get()
  clock.advance(499)
  const joined = cached.get()
  assert.equal(source.loads, 1)
  clock.advance(1)
  source.gate = null
  source.content = 'second'
  assert.equal(await cached.get(), 'second')
  release()
  assert.deepEqual(await Promise.all([slow, joined]), ['second', 'second'])
  assert.equal(source.loads, 2)
})
