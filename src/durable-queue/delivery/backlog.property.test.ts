// Random sequences of everything that happens to a backlog, with crashes in between.
import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { AuditDestination, PLAN, recordOf, StartedDelivery } from '#test/audit-destination'
import { Folder } from '#test/folder'
import { Spool } from '../spool/spool.ts'
import { Backlog } from './backlog.ts'
import { RecordRefused } from './transport.ts'

type Step =
  | { readonly kind: 'add'; readonly count: number; readonly size: number }
  | { readonly kind: 'accept'; readonly part: number }
  | { readonly kind: 'commit' | 'commit and accept' | 'crash' | 'restart' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.nat(40), size: fc.nat(200) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('accept' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'commit' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'commit and accept' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

/** A backlog of small bounds, and the promises about it. */
class Run {
  readonly #folder = new Folder()
  #directory = this.#folder.in('0')
  #restarts = 0
  #backlog!: Backlog
  #spool!: Spool
  #next = 0
  readonly #accepted = new Set<number>()
  #last = -1
  /** Records that a crash may have lost. */
  readonly #lost = new Set<number>()
  /** Records before this one are on the disk or accepted. */
  #durable = 0

  async open(): Promise<void> {
    const spool = { directory: this.#directory, maxBytes: 30_000 }
    this.#backlog = new Backlog({ ...PLAN, maxEvents: 60, maxBytes: 8_000, spool })
    this.#spool = await Spool.open(spool, assert.fail)
    this.#backlog.attach(this.#spool)
  }

  async apply(one: Step): Promise<void> {
    if (one.kind === 'add') this.#add(one.count, one.size)
    if (one.kind === 'accept') await this.#accept(one.part)
    if (one.kind === 'commit') await this.#commit()
    if (one.kind === 'commit and accept') await Promise.all([this.#commit(), this.#accept(1)])
    if (one.kind === 'crash') await this.#crash()
    if (one.kind === 'restart') await this.#restart()
    assert.ok(this.#backlog.tailBytes <= 4_000)
    assert.ok(this.#spool.bytes <= 30_000)
  }

  async end(): Promise<void> {
    while (!this.#backlog.isEmpty) await this.#accept(1)
    await this.#backlog.close()
    for (let id = 0; id < this.#next; id++) assert.ok(this.#accepted.has(id) || this.#lost.has(id), `${id} is missing`)
    this.#folder[Symbol.dispose]()
  }

  #add(count: number, size: number): void {
    const records = Array.from({ length: count }, (_, n) => recordOf(this.#next + n, 'x'.repeat(size)))
    const { full } = this.#backlog.add(records)
    this.#next += count
    for (let id = this.#next - full; id < this.#next; id++) this.#lost.add(id)
  }

  async #accept(part: number): Promise<void> {
    if (this.#backlog.batch().length === 0 && !this.#backlog.isEmpty) {
      const { lost } = await this.#backlog.refill()
      assert.equal(lost, 0)
    }
    const batch = this.#backlog.batch()
    const accepted = batch.slice(0, Math.ceil(batch.length * part))
    for (const { id } of accepted) {
      const number = Number(id)
      if (!this.#accepted.has(number)) {
        assert.ok(number > this.#last, `${number} after ${this.#last}`)
        this.#last = number
      }
      this.#accepted.add(number)
    }
    this.#backlog.settle(accepted.length)
  }

  async #commit(): Promise<void> {
    const next = this.#next
    try {
      while (await this.#backlog.commit());
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESPOOLFULL')
      return
    }
    this.#durable = next
  }

  async #crash(): Promise<void> {
    for (let id = this.#durable; id < this.#next; id++) {
      if (!this.#accepted.has(id)) this.#lost.add(id)
    }
    // The copy is what a process finds that starts after the crash.
    const copy = this.#folder.in(String(++this.#restarts))
    cpSync(this.#directory, copy, { recursive: true })
    rmSync(`${copy}/lock`)
    await this.#backlog.close()
    this.#directory = copy
    await this.open()
  }

  async #restart(): Promise<void> {
    await this.#commit()
    if (this.#backlog.volatile > 0) {
      for (let id = this.#durable; id < this.#next; id++) {
        if (!this.#accepted.has(id)) this.#lost.add(id)
      }
    }
    await this.#backlog.close()
    await this.open()
  }
}

test('every record is delivered or counted as lost, first deliveries are in order, and the bounds hold, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const run = new Run()
      await run.open()
      for (const one of steps) await run.apply(one)
      await run.end()
    }),
    { numRuns: 150 },
  )
})

test('a write to the spool that takes longer than several queues leaves nothing on the disk', async () => {
  using folder = new Folder()
  const plan = { directory: folder.in('spool'), maxBytes: 30_000 }
  const backlog = new Backlog({ ...PLAN, maxEvents: 10, spool: plan })
  const spool = await Spool.open(plan, assert.fail)
  backlog.attach(spool)
  const records = (count: number) => Array.from({ length: count }, (_, n) => recordOf(n))
  for (const isTail of [false, true]) {
    backlog.add(records(isTail ? 10 : 5))
    if (isTail) while (await backlog.commit()) backlog.settle(0)
    const writing = backlog.commit()
    // Nothing of the following waits: the write is under way until the last line.
    for (let queue = 0; queue < 4; queue++) {
      while (backlog.batch().length > 0) backlog.settle(backlog.batch().length)
      void backlog.refill()
      backlog.add(records(3))
    }
    await writing
    while (!backlog.isEmpty) {
      if (backlog.batch().length === 0) await backlog.refill()
      backlog.settle(backlog.batch().length)
    }
    assert.equal(backlog.volatile, 0)
  }
  await backlog.close()
  assert.deepEqual([spool.bytes, readdirSync(plan.directory)], [0, []])
})

const outcome = fc.constantFrom('accept', 'accept', 'fail', 'fail late', 'refuse', 'stall')

test('a delivery to a destination with any faults delivers each record once, in order, or counts it as refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(700), { maxLength: 12 }),
      fc.array(outcome, { maxLength: 20 }),
      fc.boolean(),
      async (sizes, outcomes, isSpooling) => {
        using folder = new Folder()
        const refused: string[] = []
        const destination = new AuditDestination(async (records, signal) => {
          const now = outcomes[destination.calls.length - 1]
          if (now === 'fail') throw new Error('down')
          if (now === 'fail late') await new Promise((resolve) => setTimeout(resolve, 2))
          if (now === 'fail late') throw new Error('down')
          if (now === 'stall') await new Promise((_, reject) => signal.addEventListener('abort', reject))
          if (now !== 'refuse') return
          const index = records.length >> 1
          destination.accepted.push(...records.slice(0, index))
          refused.push(records[index]?.id ?? '')
          throw new RecordRefused(index, 'refused')
        })
        const spool = isSpooling ? { directory: folder.in('spool'), maxBytes: 1 << 20 } : null
        const timing = { sendDeadline: 10, abortGrace: 5, shortestRetry: 1, longestRetry: 2, commitInterval: 2 }
        await using started = new StartedDelivery(destination, { maxEvents: 10_000, spool }, { timing })
        let next = 0
        for (const size of sizes) {
          started.delivery.add(Array.from({ length: size }, () => recordOf(next++)))
          await new Promise((resolve) => setImmediate(resolve))
        }
        assert.equal(await started.delivery.flush(20_000), true)
        const all = Array.from({ length: next }, (_, n) => String(n))
        assert.deepEqual(
          destination.ids,
          all.filter((id) => !refused.includes(id)),
        )
        const { lost, delivered, queued } = started.delivery.counts
        assert.deepEqual(
          [lost.refused, delivered.get('access') ?? 0, queued],
          [refused.length, next - refused.length, 0],
        )
      },
    ),
    { numRuns: 60 },
  )
})
