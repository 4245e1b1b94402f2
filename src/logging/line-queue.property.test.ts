// Random sequences of everything that happens to lines on their way to an output.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LineQueue, type LinesNotWritten } from './line-queue.ts'

type Step =
  | { readonly kind: 'add' | 'send'; readonly lengths: readonly number[] }
  | { readonly kind: 'write'; readonly part: number }
  | { readonly kind: 'reject' | 'abort' | 'drop' }

const lengths = fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('add', 'send'), lengths }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write'), part: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reject', 'abort', 'drop') }) },
)

/** A queue with numbered lines, and the outcomes of its senders. */
class Run {
  readonly #queue = new LineQueue()
  #next = 0
  #output = ''
  /** Numbers of the lines of the log that are in the output or were not dropped. */
  #logged = new Set<number>()
  #dropped = 0
  readonly #outcomes: Promise<{ readonly numbers: readonly number[]; readonly begun: number }>[] = []
  readonly #controllers: AbortController[] = []

  do(step: Step): void {
    if (step.kind === 'add' || step.kind === 'send') this.#add(step.kind, step.lengths)
    else if (step.kind === 'write') this.#write(step.part)
    else if (step.kind === 'drop') this.#dropped += this.#queue.drop()
    else if (step.kind === 'reject') this.#queue.reject(new Error('rejected'))
    else {
      this.#controllers.shift()?.abort()
      this.#queue.reject(new Error('aborted'), ({ signal }) => signal.aborted)
    }
  }

  #add(kind: 'add' | 'send', lineLengths: readonly number[]): void {
    const numbers = lineLengths.map(() => this.#next++)
    const text = numbers.map((number, at) => `${String(number).padEnd(lineLengths[at] as number, '.')}\n`).join('')
    if (kind === 'add') {
      for (const number of numbers) this.#logged.add(number)
      if (numbers.length > 0) this.#queue.add(Buffer.from(text))
      return
    }
    const controller = new AbortController()
    this.#controllers.push(controller)
    this.#outcomes.push(
      this.#queue.send(Buffer.from(text), controller.signal).then(
        () => ({ numbers, begun: numbers.length }),
        (error: LinesNotWritten) => ({ numbers, begun: text.slice(0, error.begun).split('\n').length - 1 }),
      ),
    )
  }

  #write(part: number): void {
    if (this.#queue.isEmpty) return
    const chunk = this.#queue.next()
    const count = Math.ceil(chunk.length * part)
    this.#output += chunk.toString('latin1', 0, count)
    this.#queue.written(chunk, count)
    assert.equal(this.#queue.isMidLine, this.#output !== '' && !this.#output.endsWith('\n'))
  }

  async check(): Promise<void> {
    while (!this.#queue.isEmpty) this.#write(1)
    assert.equal(this.#queue.bytes, 0)
    const lines = this.#output.split('\n').slice(0, -1)
    assert.ok(lines.every((line) => /^\d+\.*$/.test(line)))
    const numbers = lines.map((line) => Number.parseInt(line, 10))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    const written = new Set(numbers)
    assert.equal(written.size, numbers.length, 'once each')
    for (const sent of await Promise.all(this.#outcomes))
      assert.deepEqual(
        sent.numbers.filter((number) => written.has(number)),
        sent.numbers.slice(0, sent.begun),
      )
    assert.equal(this.#logged.difference(written).size, this.#dropped)
  }
}

test('lines are written whole, once and in order, and a sender knows which of its lines were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const run = new Run()
      for (const each of steps) run.do(each)
      await run.check()
    }),
  )
})

test('a line that another thread has begun is ended before anything else, and also where lines are dropped', () => {
  const queue = new LineQueue()
  queue.add(Buffer.from('a\n'))
  queue.endLine()
  assert.equal(queue.drop(), 1)
  assert.equal(queue.next().toString(), '\n')
  assert.equal(queue.bytes, 1)
})
