import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectionPermits, joinPermits, type PermitUser } from './connection-permits.ts'

const CONNECTIONS = 3_000

/** A pool without sockets: connections are numbers. */
class CountedPool implements PermitUser {
  permits!: ConnectionPermits
  idle = 0
  lacking = 0

  get connected(): number {
    return this.idle
  }

  grow(): void {
    while (this.lacking > 0 && this.permits.acquire()) {
      this.lacking--
      this.idle++
    }
    this.permits.lackingChanged()
  }

  closeIdle(): boolean {
    if (this.idle === 0) return false
    this.idle--
    this.permits.release()
    return true
  }

  retireOne(): void {}
}

test('thousands of idle connections of one pool are closed one after the other for the calls of another', () => {
  const [first, second] = [new CountedPool(), new CountedPool()]
  for (const pool of [first, second]) pool.permits = joinPermits(null, 'http://many-idle', CONNECTIONS, pool)
  first.lacking = CONNECTIONS
  first.grow()
  assert.equal(first.idle, CONNECTIONS)
  second.lacking = CONNECTIONS
  second.grow()
  assert.deepEqual([first.idle, second.idle, second.lacking], [0, CONNECTIONS, 0])
  while (second.closeIdle());
  for (const pool of [first, second]) pool.permits.leave(pool)
})
