import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SqlError } from '#contracts'
import { manualClock } from '#test/build'
import { within } from '#test/waiting'
import { ConnectionPool } from './connection-pool.ts'
import type { SqlConnection } from './sql-connection.ts'

/** Without statements: it is only opened, used and closed. */
class TestConnection implements SqlConnection {
  isClosed = false
  #onClose = (): void => {}

  async firstRow(): Promise<null> {
    return null
  }

  destroy(): void {
    this.isClosed = true
    this.#onClose()
  }

  abandon(): void {
    this.destroy()
  }

  onClose(listener: () => void): void {
    this.#onClose = listener
  }
}

const HOUR = 3_600_000

test('statements that wait fail when the last connection is lost while no other can be opened', async () => {
  const clock = manualClock()
  const opened = [new TestConnection()]
  const attempts = Promise.withResolvers<void>()
  const pool = new ConnectionPool({
    maxConnections: 2,
    waitTimeout: HOUR,
    clock,
    open: async () => {
      const connection = opened.shift()
      if (connection === undefined) throw new SqlError('unavailable', 'refused')
      return connection
    },
    onAttempt: (problem) => {
      if (problem !== null) attempts.resolve()
    },
  })
  const used = Promise.withResolvers<SqlConnection>()
  const lost = Promise.withResolvers<void>()
  const first = pool.use(async (connection) => {
    used.resolve(connection)
    await lost.promise
  })
  const connection = await within('the first statement had a connection', used.promise)
  const waiting = pool.use(async () => {})
  await within('the second connection failed', attempts.promise)
  connection.destroy()
  await assert.rejects(within('the waiting statement failed', waiting), { reason: 'unavailable', message: 'refused' })
  lost.resolve()
  await first
  pool.close()
})
