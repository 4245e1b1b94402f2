import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { RouteWatcher } from './route-watcher.ts'

const HOUR = 3_600_000
let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-watch-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Counts scans, and waits for the next one. */
function scans() {
  let next = Promise.withResolvers<void>()
  const counted = {
    count: 0,
    next: () => next.promise,
    scan: async () => {
      counted.count++
      next.resolve()
      next = Promise.withResolvers()
    },
  }
  return counted
}

test('changes within a short time cause one scan', async () => {
  const seen = scans()
  using _watcher = new RouteWatcher(directory, HOUR, seen.scan, createLogger({ level: 'silent' }))
  for (let change = 0; change < 20; change++) writeFileSync(join(directory, `${change}.json`), '{}')
  await keepAlive(seen.next())
  assert.equal(seen.count, 1)
})

test('a missing folder is scanned at every interval, and watched once it exists', async () => {
  const seen = scans()
  using _watcher = new RouteWatcher(join(directory, 'later'), 5, seen.scan, createLogger({ level: 'silent' }))
  await keepAlive(seen.next())
  await keepAlive(seen.next())
  assert.ok(seen.count >= 2)
})

test('an interval over the limit of timers does not fire at once', async () => {
  const seen = scans()
  using _watcher = new RouteWatcher(directory, 365 * 24 * HOUR, seen.scan, createLogger({ level: 'silent' }))
  writeFileSync(join(directory, 'a.json'), '{}')
  await keepAlive(seen.next())
  assert.equal(seen.count, 1)
})

test('a failed scan is logged, and the next one runs', async () => {
  const log = memoryLog()
  const seen = scans()
  const failing = async () => {
    await seen.scan()
    throw new Error('scan failed')
  }
  using _watcher = new RouteWatcher(directory, 5, failing, createLogger({ format: 'json', destination: log }))
  await keepAlive(seen.next())
  await keepAlive(seen.next())
  assert.match(log.lines[0] ?? '', /the route folder can not be scanned; the routes stay as they are/)
})

/** Timers of the watcher are unreferenced: the test keeps the process alive. */
async function keepAlive(promise: Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, HOUR)
  await promise.finally(() => clearInterval(timer))
}
