import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualClock } from '#test/build'
import { balancerOf, seededRandom } from '#test/upstream-servers'
import { ANY, type Balancer, POLICIES } from './balancer.ts'
import { ADMIN, HEALTH, ServerStates } from './server-states.ts'

const clock = manualClock()
const many = (count: number) => Array.from({ length: count }, () => ({}))

function countsOf(balancer: Balancer, requests: number, keyOf: (i: number) => string | null = () => null): number[] {
  const counts = balancer.servers.map(() => 0)
  for (let i = 0; i < requests; i++) counts[balancer.choose(ANY, keyOf(i))!.slot]!++
  return counts
}

const excluding = (...slots: number[]) => ({ excludes: (slot: number) => slots.includes(slot) })

test('round robin gives each server its turns within one, whatever the weights', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(weights, fc.integer(), (list, seed) => {
      const { balancer } = balancerOf(
        list.map((weight) => ({ weight })),
        {},
        clock,
        seededRandom(seed),
      )
      const sum = list.reduce((total, weight) => total + weight, 0)
      const counts = countsOf(balancer, sum * 7)
      for (const [i, weight] of list.entries())
        assert.ok(Math.abs(counts[i]! - weight * 7) <= 1, `${counts} of ${list}`)
    }),
  )
})

test('turns of a heavy server are spread, not in a row', () => {
  const { balancer } = balancerOf([{ weight: 5 }, { weight: 1 }, { weight: 1 }], {}, clock, seededRandom(1))
  const slots = Array.from({ length: 70 }, () => balancer.choose(ANY, null)!.slot)
  assert.doesNotMatch(slots.join(''), /0{8}/)
})

for (const policy of ['roundRobin', 'random', 'leastRequest'] as const) {
  test(`${policy}: weights hold within three standard deviations over 10,000 requests`, () => {
    const servers = [{ weight: 1 }, { weight: 3 }, { weight: 6 }]
    const { balancer } = balancerOf(servers, { policy }, clock, seededRandom(7))
    const counts = countsOf(balancer, 10_000)
    for (const [i, { weight }] of servers.entries()) {
      const share = weight / 10
      const deviation = 3 * Math.sqrt(10_000 * share * (1 - share))
      assert.ok(Math.abs(counts[i]! - 10_000 * share) <= deviation, `${policy}: ${counts}`)
    }
  })
}

test('different units begin at different servers', () => {
  const first = new Set(
    Array.from(
      { length: 40 },
      (_, seed) => balancerOf(many(4), {}, clock, seededRandom(seed)).balancer.choose(ANY, null)!.slot,
    ),
  )
  assert.equal(first.size, 4)
})

test('least request avoids the server with more requests in flight, of all units', () => {
  const { balancer, memory } = balancerOf(many(2), { policy: 'leastRequest' }, clock, seededRandom(3))
  const other = new ServerStates(memory, 1)
  other.begin(0)
  assert.deepEqual(countsOf(balancer, 100), [0, 100])
  other.unitEnded(1)
  assert.equal(other.totalActive, 0)
  assert.ok(countsOf(balancer, 100)[0]! > 20)
})

test('a slow server gets fewer requests with least request', () => {
  const { balancer, states } = balancerOf(many(3), { policy: 'leastRequest' }, clock, seededRandom(3))
  const counts = [0, 0, 0]
  const inFlight: { slot: number; until: number }[] = []
  for (let turn = 0; turn < 3_000; turn++) {
    for (const ended of inFlight.filter(({ until }) => until <= turn)) {
      states.end(ended.slot)
      inFlight.splice(inFlight.indexOf(ended), 1)
    }
    const { slot } = balancer.choose(ANY, null)!
    counts[slot]!++
    states.begin(slot)
    inFlight.push({ slot, until: turn + (slot === 0 ? 60 : 3) })
  }
  assert.ok(counts[0]! * 3 < counts[1]! && counts[0]! * 3 < counts[2]!, String(counts))
})

test('equal keys get the same server, and only those of a removed server move', () => {
  const { balancer, states } = balancerOf(many(10), { policy: 'hash' }, clock, seededRandom(3))
  const keys = Array.from({ length: 2_000 }, (_, i) => `session-${i}`)
  const before = keys.map((key) => balancer.choose(ANY, key)!.slot)
  const counts = before.reduce((sums, slot) => sums.with(slot, sums[slot]! + 1), Array<number>(10).fill(0))
  for (const count of counts) assert.ok(count > 100 && count < 320, String(counts))
  states.setHealth(4, HEALTH.unhealthy, 'refused', 0, 0, 0)
  for (const [i, key] of keys.entries()) {
    const now = balancer.choose(ANY, key)!.slot
    if (before[i] === 4) assert.notEqual(now, 4)
    else assert.equal(now, before[i])
  }
  states.setHealth(4, HEALTH.healthy, 'passed', 0, 0, 0)
  assert.deepEqual(
    keys.map((key) => balancer.choose(ANY, key)!.slot),
    before,
  )
})

test('the order of a set does not move keys', () => {
  const urls = Array.from({ length: 6 }, (_, i) => ({ url: `http://app-${i}:80` }))
  const of = (servers: { url: string }[]) => {
    const { balancer } = balancerOf(servers, { policy: 'hash' }, clock, seededRandom(3))
    return Array.from({ length: 200 }, (_, i) => balancer.choose(ANY, `key ${i}`)!.url)
  }
  assert.deepEqual(of(urls), of(urls.toReversed()))
})

test('a hashed server with more than 1.25 of its share passes requests to the next', () => {
  const { balancer, states } = balancerOf(many(4), { policy: 'hash' }, clock, seededRandom(3))
  const counts = [0, 0, 0, 0]
  for (let i = 0; i < 400; i++) {
    const { slot } = balancer.choose(ANY, 'one key of all requests')!
    counts[slot]!++
    states.begin(slot)
  }
  assert.ok(Math.max(...counts) <= 126, String(counts))
  assert.equal(states.totalActive, 400)
})

test('no policy chooses an excluded, unhealthy, drained or ejected server while there is another', () => {
  const state = fc.constantFrom('good', 'excluded', 'unhealthy', 'drained', 'ejected')
  const cases = fc.tuple(fc.constantFrom(...POLICIES), fc.array(state, { minLength: 1, maxLength: 7 }), fc.integer())
  fc.assert(
    fc.property(cases, ([policy, list, seed]) => {
      const { balancer, states } = balancerOf(
        list.map(() => ({})),
        { policy, panicThreshold: 0 },
        clock,
        seededRandom(seed),
      )
      for (const [slot, each] of list.entries()) {
        if (each === 'unhealthy') states.setHealth(slot, HEALTH.unhealthy, 'timeout', 0, 0, 0)
        if (each === 'drained') states.setAdmin(slot, ADMIN.draining, 0, 0)
        if (each === 'ejected') states.setAdmin(slot, ADMIN.ejected, 0, 0)
      }
      const good = [...list.keys()].filter((slot) => list[slot] === 'good')
      const excluded = excluding(...[...list.keys()].filter((slot) => list[slot] === 'excluded'))
      for (let i = 0; i < 20; i++) {
        const chosen = balancer.choose(excluded, `key ${i}`)
        if (good.length === 0) assert.equal(chosen, null)
        else assert.ok(good.includes(chosen!.slot), `${policy} ${list} chose ${chosen?.slot}`)
      }
    }),
  )
})

test('below the panic threshold all servers are used, but not those that an administrator took out', () => {
  const { balancer, states } = balancerOf(many(5), {}, clock, seededRandom(1))
  for (const slot of [0, 1]) states.setHealth(slot, HEALTH.unhealthy, 'timeout', 0, 0, 0)
  assert.equal(balancer.isPanicking, false)
  assert.equal(balancer.explanation, 'next in turn of 3 healthy')
  states.setHealth(2, HEALTH.unhealthy, 'timeout', 0, 0, 0)
  states.setAdmin(3, ADMIN.draining, 0, 0)
  assert.equal(balancer.isPanicking, true)
  assert.equal(balancer.explanation, 'next in turn of all 4, since only 1 are healthy')
  const counts = countsOf(balancer, 40)
  assert.equal(counts[3], 0)
  assert.equal(counts.filter((count) => count === 10).length, 4)
})

test('of two servers the healthy one is used, and of two unhealthy ones the one that failed last', () => {
  const { balancer, states } = balancerOf(many(2), {}, clock, seededRandom(1))
  states.setHealth(0, HEALTH.unhealthy, 'timeout', 0, 0, 10)
  assert.deepEqual(countsOf(balancer, 10), [0, 10])
  assert.equal(balancer.isPanicking, false)
  states.setHealth(1, HEALTH.unhealthy, 'timeout', 0, 0, 20)
  assert.deepEqual(countsOf(balancer, 10), [0, 10])
  assert.equal(balancer.explanation, 'the last that failed, since none is healthy')
  states.setHealth(0, HEALTH.unhealthy, 'timeout', 0, 0, 30)
  assert.deepEqual(countsOf(balancer, 10), [10, 0])
})

test('a higher priority is used while too few servers of the lower one are healthy', () => {
  const servers = [{}, {}, {}, { priority: 1 }]
  const { balancer, states } = balancerOf(servers, {}, clock, seededRandom(1))
  assert.equal(countsOf(balancer, 30)[3], 0)
  for (const slot of [0, 1]) states.setHealth(slot, HEALTH.unhealthy, 'timeout', 0, 0, 0)
  assert.deepEqual(countsOf(balancer, 30), [0, 0, 0, 30])
  states.setHealth(3, HEALTH.unhealthy, 'timeout', 0, 0, 0)
  assert.deepEqual(countsOf(balancer, 30), [10, 10, 10, 0])
  states.setHealth(1, HEALTH.healthy, 'passed', 0, 0, 0)
  assert.deepEqual(
    countsOf(balancer, 30),
    [0, 15, 15, 0].map((count, slot) => (slot === 0 ? 0 : count)),
  )
})

test('a server that became usable again gets its weight step by step', () => {
  const time = manualClock()
  time.advance(1_000)
  const { balancer, states } = balancerOf(many(2), { slowStart: 10_000 }, time, seededRandom(1))
  assert.deepEqual(countsOf(balancer, 100), [50, 50])
  states.setHealth(0, HEALTH.unhealthy, 'timeout', 0, time.now(), time.monotonic())
  states.setHealth(0, HEALTH.healthy, 'passed', 0, time.now(), time.monotonic())
  const shares = [0, 2_500, 2_500, 5_000].map((milliseconds) => {
    time.advance(milliseconds)
    return countsOf(balancer, 1_000)[0]!
  })
  for (const [i, expected] of [91, 200, 333, 500].entries())
    assert.ok(Math.abs(shares[i]! - expected) <= 2, `${shares}`)
})

test('a set of 1,000 servers is balanced by each policy', () => {
  for (const policy of POLICIES) {
    const { balancer } = balancerOf(many(1_000), { policy }, clock, seededRandom(1))
    const counts = countsOf(balancer, 100_000, (i) => `key ${i}`)
    assert.ok(
      counts.every((count) => count > 20),
      policy,
    )
  }
})
