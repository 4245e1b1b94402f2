import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { within } from '#test/waiting'
import { FatalErrors } from './fatal-errors.ts'

function watching(deadline: number) {
  const source = new EventEmitter()
  const log = memoryLog()
  const exits: number[] = []
  const { promise: exited, resolve } = Promise.withResolvers<void>()
  const exit = (code: number) => {
    exits.push(code)
    resolve()
  }
  const fatal = new FatalErrors({ logger: createLogger({ destination: log }), deadline, source, exit })
  return { source, log, exits, exited, fatal }
}

test('the first uncaught error is logged with its code and reported, and the process continues', async () => {
  const { source, log, exits, fatal } = watching(60_000)
  const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  source.emit('uncaughtException', error, 'uncaughtException')
  assert.equal(await fatal.first, error)
  assert.deepEqual(exits, [])
  const entry = log.entries[0]!
  assert.match(String(entry.message), /uncaught error in the control thread/)
  assert.equal((entry['error'] as { code: string }).code, 'ECONNRESET')
  fatal[Symbol.dispose]()
  assert.equal(source.listenerCount('uncaughtException'), 0)
})

test('a second uncaught error ends the process with 1', () => {
  const { source, exits, fatal } = watching(60_000)
  source.emit('uncaughtException', new Error('first'), 'uncaughtException')
  source.emit('uncaughtException', new Error('second'), 'unhandledRejection')
  assert.deepEqual(exits, [1])
  fatal[Symbol.dispose]()
})

test('a drain that does not end in time ends the process with 1', async () => {
  const { source, exits, exited, fatal } = watching(10)
  source.emit('uncaughtException', new Error('first'), 'uncaughtException')
  await within('the process was ended', exited)
  assert.deepEqual(exits, [1])
  fatal[Symbol.dispose]()
})
