import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { ReloadSignals, StopSignals } from './signals.ts'

function signals() {
  const source = new EventEmitter()
  let now = 0
  const stop = new StopSignals(source, () => now)
  const seen: string[] = []
  void stop.second.then((signal) => seen.push(signal))
  const send = async (signal: string, after: number): Promise<void> => {
    now += after
    source.emit(signal, signal)
    await Promise.resolve()
  }
  return { source, stop, seen, send }
}

test('the first and the second signal are distinguished', async () => {
  const { stop, seen, send } = signals()
  await send('SIGTERM', 0)
  assert.equal(await stop.first, 'SIGTERM')
  assert.deepEqual(seen, [])
  await send('SIGTERM', 1)
  assert.deepEqual(seen, ['SIGTERM'])
})

test('a Ctrl-C that is received twice counts as one signal', async () => {
  const { seen, send } = signals()
  await send('SIGINT', 0)
  await send('SIGINT', 5)
  assert.deepEqual(seen, [])
  await send('SIGINT', 500)
  assert.deepEqual(seen, ['SIGINT'])
})

test('signal handlers are removed by dispose', () => {
  const { source, stop } = signals()
  stop[Symbol.dispose]()
  assert.equal(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM'), 0)
})

test('SIGHUPs of a start reload once it has ended; later ones at once', () => {
  const source = new EventEmitter()
  const reloads = new ReloadSignals(source)
  let reloaded = 0
  source.emit('SIGHUP')
  source.emit('SIGHUP')
  reloads.listen(() => reloaded++)
  assert.equal(reloaded, 1)
  source.emit('SIGHUP')
  assert.equal(reloaded, 2)
  reloads[Symbol.dispose]()
  assert.equal(source.listenerCount('SIGHUP'), 0)
})
