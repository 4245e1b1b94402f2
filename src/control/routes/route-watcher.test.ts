import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

test('a folder that takes the place of the watched one is scanned, and watched', async () => {
  const replaced: Record<string, (path: string) => void> = {
    renamed: (path) => {
      mkdirSync(`${path}-new`)
      renameSync(path, `${path}-old`)
      renameSync(`${path}-new`, path)
    },
    'deleted and made again': (path) => {
      rmSync(path, { recursive: true })
      mkdirSync(path)
    },
  }
  for (const [name, replace] of Object.entries(replaced)) {
    const path = join(directory, name)
    mkdirSync(path)
    await followsReplacement(path, () => replace(path))
  }
})

test('a link to a folder is followed to its new target', async () => {
  const link = join(directory, 'current')
  for (const release of ['1', '2']) mkdirSync(join(directory, release))
  symlinkSync('1', link)
  await followsReplacement(link, () => {
    symlinkSync('2', `${link}-new`)
    renameSync(`${link}-new`, link)
  })
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

/** The folder that takes the place is scanned, and again when a file is written in it: both without the interval of scans. */
async function followsReplacement(path: string, replace: () => void): Promise<void> {
  const seen = scans()
  using _watcher = new RouteWatcher(path, HOUR, seen.scan, createLogger({ level: 'silent' }), 5)
  replace()
  await keepAlive(seen.next())
  writeFileSync(join(path, 'a.json'), '{}')
  await keepAlive(seen.next())
  assert.equal(seen.count, 2)
}

/** Timers of the watcher are unreferenced: the test keeps the process alive. */
async function keepAlive(promise: Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, HOUR)
  await promise.finally(() => clearInterval(timer))
}
