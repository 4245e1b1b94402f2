import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API_LIMITS, guessOf, LogInAttempts } from './log-in-attempts.ts'

const never = new AbortController().signal

/** Attempts with a clock that each pause advances, one pause after the other. */
function opened(limits?: typeof API_LIMITS) {
  const clock = { time: 0, monotonic: () => clock.time }
  const pauses: number[] = []
  const attempts = new LogInAttempts(clock, limits, async (milliseconds) => {
    pauses.push(milliseconds)
    clock.time += milliseconds
  })
  let guesses = 0
  /** A guess that no other attempt made; the milliseconds that its comparison waited. */
  const wrong = async (address: string) => {
    const begun = clock.time
    assert.equal(await attempts.turn(address, never), 0)
    attempts.failed(address, `guess ${guesses++}`)
    return clock.time - begun
  }
  const waited = async (address: string) => {
    const begun = clock.time
    assert.equal(await attempts.turn(address, never), 0)
    return clock.time - begun
  }
  return { clock, pauses, attempts, wrong, waited }
}

test('ten guesses are free, then each takes a quarter of a second; a success and time forget them', async () => {
  const { clock, attempts, wrong, waited } = opened()
  for (let n = 0; n < 10; n++) assert.equal(await wrong('192.0.2.1'), 0)
  assert.equal(attempts.isLimited('192.0.2.2'), false)
  for (let n = 0; n < 5; n++) assert.equal(await wrong('192.0.2.1'), 250)
  assert.equal(await waited('192.0.2.1'), 250, 'right credentials wait for their turn too')
  attempts.succeeded('192.0.2.1')
  assert.equal(await waited('192.0.2.1'), 0)
  for (let n = 0; n < 10; n++) await wrong('192.0.2.1')
  clock.time += 10_000
  assert.equal(await waited('192.0.2.1'), 0)
})

test('requests of an address wait in their order, as far apart as guesses; those beyond forty get a time to try again', async () => {
  const { pauses, attempts, wrong } = opened(API_LIMITS)
  for (let n = 0; n < 50; n++) await wrong('192.0.2.1')
  const order: number[] = []
  const turns = Array.from({ length: 40 }, async (_, n) => {
    assert.equal(await attempts.turn('192.0.2.1', never), 0)
    order.push(n)
  })
  assert.ok((await attempts.turn('192.0.2.1', never)) > 0)
  assert.equal(await attempts.turn('192.0.2.2', never), 0, 'other addresses do not wait')
  await Promise.all(turns)
  assert.deepEqual(order, [...Array(40).keys()])
  assert.deepEqual(pauses, Array(40).fill(250))
  assert.equal(await attempts.turn('192.0.2.1', never), 0, 'the line is empty again')
})

test('all addresses together hold four hundred requests', async () => {
  const { attempts, wrong } = opened(API_LIMITS)
  const addresses = Array.from({ length: 11 }, (_, n) => `192.0.2.${n}`)
  for (const address of addresses) for (let n = 0; n < 50; n++) await wrong(address)
  const turns = addresses.flatMap((address) => Array.from({ length: 40 }, () => attempts.turn(address, never)))
  const refused = (await Promise.all(turns)).filter((delay) => delay > 0)
  assert.equal(refused.length, 40)
})

test('an aborted request leaves the line without a comparison and without time', async () => {
  const { clock, attempts, wrong } = opened()
  for (let n = 0; n < 10; n++) await wrong('192.0.2.1')
  const gone = new AbortController()
  const turns = [gone.signal, gone.signal, never].map((signal) => attempts.turn('192.0.2.1', signal))
  gone.abort()
  const [first, second, third] = await Promise.all(turns)
  assert.ok(first! > 0 && second! > 0)
  assert.deepEqual([third, clock.time], [0, 250])
})

test('a real pause ends when its request is aborted', async () => {
  const clock = { monotonic: () => 0 }
  const attempts = new LogInAttempts(clock, { address: { burst: 1, refill: 1_000_000 }, all: null })
  attempts.failed('192.0.2.1', 'guess')
  const gone = new AbortController()
  const turn = attempts.turn('192.0.2.1', gone.signal)
  gone.abort()
  assert.ok((await turn) > 0)
})

test('a guess that is forgiven does not count', async () => {
  const { attempts, waited } = opened()
  for (let n = 0; n < 100; n++) {
    attempts.failed('192.0.2.1', `token ${n}`)
    attempts.forgive('192.0.2.1', `token ${n}`)
  }
  assert.equal(await waited('192.0.2.1'), 0)
})

test('the same wrong guess again is known and does not count, until the password changes', () => {
  const { attempts } = opened()
  const old = guessOf(['admin', 'old'], 'new')
  for (let n = 0; n < 100; n++) attempts.failed('192.0.2.1', old)
  assert.equal(attempts.isLimited('192.0.2.1'), false)
  assert.equal(
    attempts.isKnown('192.0.2.1', () => old),
    true,
  )
  assert.equal(
    attempts.isKnown('192.0.2.1', () => guessOf(['admin', 'old'], 'old')),
    false,
  )
  assert.equal(
    attempts.isKnown('192.0.2.2', () => old),
    false,
  )
})

test('an IPv6 network counts as one address, and all addresses have a common limit', async () => {
  const { clock, attempts } = opened()
  const failed = (address: string) => attempts.failed(address, address)
  for (let n = 0; n < 10; n++) failed(`2001:db8:1:2:${n}::1`)
  assert.ok(attempts.isLimited('2001:db8:1:2:ffff::1'))
  // Zeros of the network are compressed.
  for (let n = 0; n < 10; n++) failed(`2001:db8::${n + 1}:2:3:4`)
  assert.ok(attempts.isLimited('2001:db8::ffff:2:3:4'))
  assert.equal(attempts.isLimited('2001:db8:0:1::1'), false)
  for (let n = 0; n < 2_000; n++) failed(`10.0.${n >> 8}.${n & 255}`)
  assert.ok(attempts.isLimited('192.0.2.9'))
  attempts.succeeded('192.0.2.10')
  assert.equal(attempts.isLimited('192.0.2.10'), false, 'an address of a log-in is not delayed by others')
  for (let n = 0; n < 10; n++) attempts.failed('192.0.2.10', `guess ${n}`)
  assert.ok(attempts.isLimited('192.0.2.10'), 'its own failures count')
  clock.time += 3_600_000
  assert.equal(attempts.isLimited('192.0.2.9'), false)
})
