// Lines whose sender learns whether they were written, to real descriptors.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { NamedPipe } from '#test/named-pipe'
import { SmallDisk } from '#test/small-disk'
import { waitUntil } from '#test/waiting'

const INDEX = JSON.stringify(new URL('./index.ts', import.meta.url).href)

const THREAD = `
import { parentPort, workerData } from 'node:worker_threads'
import { joinOutput, standardOutput } from ${INDEX}
joinOutput(workerData)
parentPort.on('message', (line) => {
  standardOutput().write(line)
  parentPort.postMessage('written')
})
`

/** Calls the output at the request of the test, and reports. */
const PROGRAM = `
import { Worker } from 'node:worker_threads'
import { sharedOutput, standardOutput } from ${INDEX}
const output = standardOutput()
const report = (message) => process.send({ ...message, failed: output.failed, lost: output.lost })
let controller
const calls = {
  send(text) {
    controller = new AbortController()
    output.send(Buffer.from(text), controller.signal).then(
      () => report({ outcome: 'written' }),
      ({ code, begun, message }) => report({ outcome: code ?? message, begun }),
    )
    report({ called: true })
  },
  log(text) {
    output.write(text)
    report({ called: true })
  },
  logInThread(text) {
    const url = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)}))
    const worker = new Worker(url, { workerData: sharedOutput() })
    worker.once('message', () => report({ called: true })).postMessage(text)
  },
  abort: () => controller.abort(),
}
process.on('message', ({ call, text }) => calls[call](text))
`

interface Report {
  readonly called?: true
  readonly outcome?: string
  readonly begun?: number
  readonly failed: number
  readonly lost: number
}

/** A process with an output of its own. */
class Sender implements Disposable {
  readonly #child: ChildProcess
  readonly #reports: Report[] = []

  constructor(path: string) {
    const output = openSync(path, 'a')
    const words = ['--input-type=module', '--eval', PROGRAM]
    this.#child = spawn(process.execPath, words, { stdio: ['ignore', output, 'inherit', 'ipc'] })
    closeSync(output)
    this.#child.on('message', (report: Report) => this.#reports.push(report))
  }

  /** Resolves when the call has returned; its outcome may be later. */
  async call(call: 'send' | 'log' | 'logInThread', text: string): Promise<Report> {
    this.#child.send({ call, text })
    return await this.#next(({ called }) => called === true)
  }

  abort(): void {
    this.#child.send({ call: 'abort' })
  }

  /** The outcome of `send`, while `meanwhile` is called. */
  outcome(meanwhile: () => unknown = () => {}): Promise<Report> {
    return this.#next(({ outcome }) => outcome !== undefined, meanwhile)
  }

  get hasOutcome(): boolean {
    return this.#reports.some(({ outcome }) => outcome !== undefined)
  }

  async #next(matches: (report: Report) => boolean, meanwhile: () => unknown = () => {}): Promise<Report> {
    await waitUntil('a report of the process', () => {
      meanwhile()
      return this.#reports.some(matches)
    })
    return this.#reports.splice(this.#reports.findIndex(matches), 1)[0] as Report
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }
}

/** Lines of 1,000 bytes, which no size of a pipe or page is a multiple of. */
const linesOf = (count: number, first = 0): string =>
  Array.from({ length: count }, (_, at) => `${String(first + at).padEnd(999, '.')}\n`).join('')

/** More than a pipe has room for. */
const MANY = linesOf(300)

test('sent lines have an outcome when they are in the pipe, in order with those of the log', async () => {
  using pipe = new NamedPipe()
  using sender = new Sender(pipe.path)
  await sender.call('log', 'before\n')
  await sender.call('send', MANY)
  await sender.call('log', 'after\n')
  assert.equal(sender.hasOutcome, false)
  assert.equal((await sender.outcome(() => pipe.read())).outcome, 'written')
  await waitUntil('the line of the log', () => pipe.read().endsWith('after\n'))
  assert.equal(pipe.text, `before\n${MANY}after\n`)
})

test('an aborted call leaves whole lines, and says which', async () => {
  using pipe = new NamedPipe()
  using sender = new Sender(pipe.path)
  await sender.call('send', MANY)
  sender.abort()
  const { begun = 0 } = await sender.outcome()
  assert.ok(begun > 0 && begun < MANY.length && begun % 1_000 === 0, `${begun} bytes`)
  await sender.call('log', 'after\n')
  await waitUntil('the line of the log', () => pipe.read().endsWith('after\n'))
  assert.equal(pipe.text, `${MANY.slice(0, begun)}after\n`)
})

test('lines that are not read are returned to the sender, those of the log are kept', async () => {
  using pipe = new NamedPipe()
  using sender = new Sender(pipe.path)
  await sender.call('send', MANY)
  await sender.call('log', 'log\n')
  const { outcome, begun = 0, failed, lost } = await sender.outcome()
  assert.deepEqual([outcome, failed, lost], ['ETIMEDOUT', 0, 0])
  await sender.call('send', MANY.slice(begun))
  assert.equal((await sender.outcome(() => pipe.read())).outcome, 'written')
  pipe.read()
  assert.equal(pipe.text, `${MANY.slice(0, begun)}log\n${MANY.slice(begun)}`)
})

test('a reader that goes away within a line, and another one: the line is continued and no line is missing', async () => {
  using pipe = new NamedPipe()
  using sender = new Sender(pipe.path)
  await sender.call('send', MANY)
  pipe.closeReader()
  const { outcome, begun = 0 } = await sender.outcome()
  assert.equal(outcome, 'EPIPE')
  assert.ok(begun > 0 && begun < MANY.length && begun % 1_000 === 0, `${begun} bytes`)
  // The rest of the line waits, and so does the sender of nothing more.
  await sender.call('send', '')
  assert.equal((await sender.outcome()).outcome, 'EPIPE')
  pipe.openReader()
  await sender.call('send', MANY.slice(begun))
  assert.equal((await sender.outcome(() => pipe.read())).outcome, 'written')
  pipe.read()
  assert.equal(pipe.text, MANY)
})

test('lines of the log without a reader are lost and counted, also by a process that is idle then', async () => {
  using pipe = new NamedPipe()
  using sender = new Sender(pipe.path)
  await sender.call('log', 'read\n')
  pipe.closeReader()
  assert.equal((await sender.call('log', 'lost\n')).lost, 1)
  await sender.call('send', linesOf(1))
  const { outcome, failed, lost } = await sender.outcome()
  assert.deepEqual([outcome, failed, lost], ['EPIPE', 2, 1])
})

test('F16: each call to a full disk fails', {
  skip: !existsSync('/dev/full') && 'there is no /dev/full here',
}, async () => {
  using sender = new Sender('/dev/full')
  for (let call = 1; call <= 2; call++) {
    await sender.call('send', MANY)
    const { outcome, begun, lost } = await sender.outcome()
    assert.deepEqual([outcome, begun, lost], ['ENOSPC', 0, 0])
  }
})

test('F16: a line that a full disk has torn is continued before a line of another thread', {
  skip: SmallDisk.isMissing,
}, async () => {
  using disk = new SmallDisk(256)
  const file = join(disk.path, 'log')
  const ballast = join(disk.folder('ballast'), 'file')
  writeFileSync(ballast, Buffer.alloc(128 * 1024))
  using sender = new Sender(file)
  const lines = linesOf(200)
  await sender.call('send', lines)
  const { outcome, begun = 0 } = await sender.outcome()
  assert.equal(outcome, 'ENOSPC')
  const torn = readFileSync(file, 'latin1')
  assert.ok(torn.length < begun && begun < lines.length, `${torn.length} of ${begun} bytes`)
  await sender.call('logInThread', 'another thread\n')
  assert.equal(readFileSync(file, 'latin1'), torn)
  disk.free()
  await sender.call('send', lines.slice(begun))
  assert.equal((await sender.outcome()).outcome, 'written')
  await waitUntil('the line of the other thread', () => readFileSync(file, 'latin1').includes('another thread\n'))
  assert.equal(readFileSync(file, 'latin1').replace('another thread\n', ''), lines)
  assert.match(readFileSync(file, 'latin1'), /^another thread$/m)
})
