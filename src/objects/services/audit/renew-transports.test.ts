import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEventHandler } from '#contracts'
import { createLogger, memoryLog } from '#logging'
import { waitUntil } from '#test/waiting'
import { renewTransports } from './renew-transports.ts'

/** A handler whose transport is read from `state`. */
function handlerOf(state: { password: string | Error }) {
  const listeners = new Set<() => void>()
  const transport = { type: 'test', password: 'first' }
  const handler = {
    name: 'test',
    transport,
    renewal: {
      read: async () => {
        if (state.password instanceof Error) throw state.password
        return { type: 'test', password: state.password }
      },
      onChange: (listener: () => void) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
  } as unknown as AuditEventHandler
  return { handler, listeners, changed: () => callAll(listeners) }
}

function callAll(functions: Iterable<() => void>): void {
  for (const each of functions) each()
}

function follow(handlers: readonly AuditEventHandler[], { serving = true, failures = 0 } = {}) {
  const renewed: unknown[] = []
  const disposals: (() => void)[] = []
  const log = memoryLog()
  const receive = (found: readonly AuditEventHandler[]): void => {
    if (failures-- > 0) throw new Error('the port is closed')
    renewed.push(...found.map(({ transport }) => transport))
  }
  renewTransports(handlers, receive, {
    serving,
    logger: createLogger({ destination: log }),
    onDispose: (dispose) => void disposals.push(dispose as () => void),
  })
  return { renewed, log, [Symbol.dispose]: () => callAll(disposals) }
}

test('a changed secret renews the transport once; an unchanged or unreadable one does not', async () => {
  const state: { password: string | Error } = { password: 'first' }
  const { handler, listeners, changed } = handlerOf(state)
  {
    using followed = follow([handler])
    changed()
    state.password = new Error('no such file')
    changed()
    state.password = 'second'
    changed()
    changed()
    await waitUntil('a renewed transport', () => followed.renewed.length > 0)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(followed.renewed, [{ type: 'test', password: 'second' }])
  }
  assert.equal(listeners.size, 0)
})

test('a renewal that can not be passed on is logged and tried again', async () => {
  const { handler, changed } = handlerOf({ password: 'second' })
  using followed = follow([handler], { failures: 1 })
  changed()
  await waitUntil('a log entry', () => followed.log.entries.length > 0)
  assert.equal(followed.log.entries[0]?.['code'], 'GW_SERVICE_TASK_FAILED')
  assert.deepEqual(followed.renewed, [])
  changed()
  await waitUntil('a renewed transport', () => followed.renewed.length > 0)
  assert.deepEqual(followed.renewed, [{ type: 'test', password: 'second' }])
})

test('a transport that is read after the disposal is not passed on', async () => {
  const { handler, changed } = handlerOf({ password: 'second' })
  const followed = follow([handler])
  changed()
  followed[Symbol.dispose]()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(followed.renewed, [])
})

test('nothing is followed in a dry run, or without secrets', () => {
  const { handler, listeners } = handlerOf({ password: 'first' })
  using _ = follow([handler], { serving: false })
  assert.equal(listeners.size, 0)
  const { renewal: _renewal, ...plain } = handler
  using followed = follow([plain])
  assert.deepEqual(followed.renewed, [])
})
