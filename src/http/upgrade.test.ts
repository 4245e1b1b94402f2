import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { mock, test } from 'node:test'
import { once } from '#test/waiting'
import { Response } from './response.ts'
import { endUpgraded, type Upgrade, type UpgradedConnection, watchUpgrade } from './upgrade.ts'

function stream(): Duplex {
  return new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
}

/** A connection that records its calls. */
class RecordedConnection implements UpgradedConnection {
  readonly words: string[] = []
  readonly end = 'sent'

  close(code: number, reason: string): void {
    this.words.push(`close ${code} ${reason}`)
  }

  destroy(): void {
    this.words.push('destroy')
  }
}

function switching(connection: UpgradedConnection): Response {
  const upgrade: Upgrade = { start: () => connection }
  return new Response(101, { upgrade })
}

test('each watcher gets the connection when it starts, and is called once when it has closed', async () => {
  const connection = new RecordedConnection()
  const response = switching(connection)
  const seen: string[] = []
  for (const name of ['inner', 'outer']) {
    watchUpgrade(response, (each) => {
      assert.equal(each, connection)
      seen.push(`${name} starts`)
      return () => seen.push(`${name} ends`)
    })
  }
  assert.deepEqual(seen, [])
  const client = stream()
  assert.equal(response.upgrade?.start(client, Buffer.alloc(0)), connection)
  assert.deepEqual(seen, ['inner starts', 'outer starts'])
  client.destroy()
  await once(client, 'close')
  assert.deepEqual(seen.slice(2), ['inner ends', 'outer ends'])
})

test('a connection whose client disconnected before the upgrade closes at once', async () => {
  const client = stream()
  client.destroy()
  await once(client, 'close')
  const response = switching(new RecordedConnection())
  let ended = 0
  watchUpgrade(response, () => () => ended++)
  response.upgrade?.start(client, Buffer.alloc(0))
  assert.equal(ended, 1)
})

test('a watcher of a response without an upgrade is never called', () => {
  const response = new Response(200)
  watchUpgrade(response, () => assert.fail('nothing starts'))
  assert.equal(response.upgrade, null)
})

test('a watcher that throws closes the connection', () => {
  const connection = new RecordedConnection()
  const response = switching(connection)
  watchUpgrade(response, () => {
    throw new Error('watcher failed')
  })
  assert.throws(() => response.upgrade?.start(stream(), Buffer.alloc(0)), /watcher failed/)
  assert.deepEqual(connection.words, ['destroy'])
})

test('a closed connection is destroyed if its peers do not answer the close in time', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const connection = new RecordedConnection()
    endUpgraded(connection, 1008, 'the token is no longer valid')
    assert.deepEqual(connection.words, ['close 1008 the token is no longer valid'])
    mock.timers.tick(1000)
    assert.deepEqual(connection.words.slice(1), ['destroy'])
  } finally {
    mock.timers.reset()
  }
})
