import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { once } from '#test/waiting'

const INDEX = JSON.stringify(new URL('./index.ts', import.meta.url).href)
const node = (script: string) => ['--input-type=module', '--eval', script]

const LINES = `
import { createLogger, standardOutput } from ${INDEX}
const logger = createLogger({ format: 'json' })
const text = 'x'.repeat(8_000)
for (let n = 0; n < 1_000; n++) logger.info({ n }, text)
const { failed, lost } = standardOutput()
process.stderr.write(JSON.stringify({ failed, lost }))
`

test('F16: lines that can not be written to a full disk are counted, and at most 1 MiB of them is buffered', {
  skip: !existsSync('/dev/full') && 'there is no /dev/full here',
}, () => {
  const full = openSync('/dev/full', 'w')
  try {
    const { status, stderr } = spawnSync(process.execPath, node(LINES), {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    const { failed, lost } = JSON.parse(stderr) as { failed: number; lost: number }
    const waiting = 1_000 - lost
    assert.ok(failed >= 1, `${failed} failures`)
    assert.ok(waiting * 8_000 <= 1024 * 1024 && waiting * 8_200 > 900 * 1024, `${waiting} lines wait`)
  } finally {
    closeSync(full)
  }
})

/** Writes as fast as possible from several threads, and reports the longest write on standard error. */
const FLOOD = `
import { Worker, isMainThread, workerData } from 'node:worker_threads'
import { createLogger, joinOutput, sharedOutput, standardOutput } from ${INDEX}
const flood = (thread) => {
  const logger = createLogger({ format: 'json' }).child({ thread })
  const text = String(thread).repeat(8_000)
  let longest = 0
  let n = 0
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      for (let at = 0; at < 20; at++) {
        const from = performance.now()
        logger.info({ n: n++, text }, at % 2 === 0 ? 'long' : 'x'.repeat(6_000))
        longest = Math.max(longest, performance.now() - from)
      }
      if (n < 2_000) return
      clearInterval(timer)
      resolve({ longest, lost: standardOutput().lost })
    }, 1)
  })
}
`

const THREAD = `${FLOOD}
import { parentPort } from 'node:worker_threads'
joinOutput(workerData.output)
parentPort.postMessage(await flood(workerData.thread))
`

const MAIN = `${FLOOD}
const thread = (number) => new Promise((resolve) => {
  const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)})), {
    workerData: { thread: number, output: sharedOutput() },
  })
  worker.once('message', resolve)
})
process.stderr.write(JSON.stringify(await Promise.all([flood(0), thread(1), thread(2)])))
`

test('F16: lines of threads are not interleaved in a slow pipe, and no thread blocks on its reader', async () => {
  const child = spawn(process.execPath, node(MAIN), { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => {
    pieces.push(piece)
    child.stdout.pause()
    setTimeout(() => child.stdout.resume(), 2)
  })
  const [status] = (await once(child, 'close')) as [number]
  assert.equal(status, 0, errors)
  const threads = JSON.parse(errors) as { longest: number; lost: number }[]
  assert.ok(
    threads.every(({ longest, lost }) => longest < 1_000 && lost > 0),
    errors,
  )
  const entries = Buffer.concat(pieces)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { thread: number; n: number; text?: string; lost?: number })
  for (const number of [0, 1, 2]) {
    const own = entries.filter(({ thread, text }) => thread === number && text !== undefined)
    assert.ok(own.length > 10)
    assert.ok(own.every(({ text }) => text === String(number).repeat(8_000)))
    const numbers = own.map(({ n }) => n)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      'in the order they were written',
    )
  }
  assert.ok(entries.some(({ lost }) => lost !== undefined && lost > 0))
})

test('buffered lines are written when the process ends, to a file and to a pipe', () => {
  const script = `
    import { createLogger } from ${INDEX}
    const logger = createLogger({ format: 'json' })
    for (let n = 0; n < 100; n++) logger.info({ n, text: 'x'.repeat(5_000) }, 'line')
    process.exit(3)`
  const folder = mkdtempSync(join(tmpdir(), 'gateway-log-'))
  const file = openSync(join(folder, 'log'), 'w')
  try {
    const piped = spawnSync(process.execPath, node(script), { encoding: 'utf8' })
    const filed = spawnSync(process.execPath, node(script), { stdio: ['ignore', file, 'inherit'] })
    for (const [status, text] of [
      [piped.status, piped.stdout],
      [filed.status, readFileSync(join(folder, 'log'), 'utf8')],
    ] as const) {
      const numbers = text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { n: number }).n)
      assert.equal(status, 3)
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        Array.from({ length: 100 }, (_, n) => n),
      )
    }
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true })
  }
})

test('a partial line of an ended thread is terminated, and other threads continue', () => {
  const script = `
    import { Worker } from 'node:worker_threads'
    import { createLogger, outputThreadEnded, sharedOutput, standardOutput } from ${INDEX}
    const logger = createLogger({ format: 'json' })
    const code = 'import { workerData, threadId } from "node:worker_threads"; import { writeSync } from "node:fs";' +
      'Atomics.store(new Int32Array(workerData), 0, threadId + 1); writeSync(1, "half a line"); process.exit()'
    const worker = new Worker(code, { eval: true, workerData: sharedOutput() })
    const { threadId } = worker
    worker.on('exit', () => {
      logger.info('waits')
      outputThreadEnded(threadId)
      logger.info('after')
    })`
  const { stdout, stderr } = spawnSync(process.execPath, node(script), { encoding: 'utf8' })
  assert.equal(stderr, '')
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines[0], 'half a line')
  assert.deepEqual(
    lines.slice(1).map((line) => (JSON.parse(line) as { message: string }).message),
    ['waits', 'after'],
  )
})

/** Writes lines whenever there is room for them. */
const STREAM = `
import { standardOutput } from ${INDEX}
const output = standardOutput()
const lines = Buffer.from('x'.repeat(1_023) + '\\n').toString().repeat(256)
for (let written = 0; written < 32 * 1024 * 1024; ) {
  if (output.room < lines.length) await new Promise((resolve) => setTimeout(resolve, 1))
  else {
    output.writeLines(Buffer.from(lines))
    written += lines.length
  }
}
`

test('a reader that keeps up does not wait for the next attempt at a full pipe', async () => {
  const child = spawn(process.execPath, node(STREAM), { stdio: ['ignore', 'pipe', 'inherit'] })
  const started = performance.now()
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await once(child, 'close')
  assert.equal(bytes, 32 * 1024 * 1024)
  // 512 full pipes: 25 ms for each would be 13 s.
  const seconds = (performance.now() - started) / 1000
  assert.ok(seconds < 10, `${seconds} s`)
})
