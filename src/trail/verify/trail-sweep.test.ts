import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { CHAIN_SECRET, chainPlan, eventText, fileEnv, filePlan, namesIn } from '#test/audit-files'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import { type FilePlan, NO_RETENTION, NO_ROTATION } from '../files/file-plan.ts'
import { TopicFile } from '../files/topic-file.ts'
import type { TrailSource } from './trail-sweep.ts'
import { type TrailReport, verifyTrail } from './verify-trail.ts'

const CSV: Partial<FilePlan> = {
  extension: '.csv',
  headers: { access: '"a","b","HMAC","SIGNATURE"' },
  lineEnd: '\r\n',
  chain: chainPlan({ csv: { quote: '"', delimiter: ',' }, lines: 2 }),
}

/** A writer that rotates with each third event or so. */
class Writer {
  readonly directory: string
  readonly #file: TopicFile
  readonly #text: (n: number) => string
  #count = 0

  constructor(directory: string, more: Partial<FilePlan> = {}) {
    const rotation = { ...NO_ROTATION, maxFileSize: 1_000 }
    const plan = filePlan(directory, { rotation, chain: chainPlan({ lines: 2 }), ...more })
    this.directory = directory
    this.#file = new TopicFile(plan, 'access', fileEnv())
    this.#text = plan.extension === '.csv' ? (n) => `"${n}","x"` : (n) => eventText(n)
  }

  async write(events: number): Promise<void> {
    for (let n = 0; n < events; n++) await this.#file.append([this.#text(this.#count++)])
  }

  compressed(): Promise<void> {
    return this.#file.compressed
  }

  checkpoint(): Promise<void> {
    return this.#file.checkpoint()
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  paths(): string[] {
    return namesIn(this.directory)
      .filter((name) => !name.endsWith('.tmp'))
      .map((name) => join(this.directory, name))
  }

  rotated(): string[] {
    return this.paths().filter((path) => /-2026/.test(path))
  }
}

/** Listings that are out of date before they are used. */
function staleSource(writer: Writer, meanwhile: (listing: number) => Promise<unknown>): TrailSource {
  let count = 0
  return {
    files: async () => {
      const paths = writer.paths()
      await meanwhile(count++)
      return paths
    },
    moved: async () => [],
  }
}

/** Rewrites one event of a rotated file. */
function tamper(path: string): void {
  const isCompressed = path.endsWith('.gz')
  const text = isCompressed ? gunzipSync(readFileSync(path)).toString() : readFileSync(path, 'utf8')
  const changed = text.replace(/"more":""|"x"/, '"y"')
  assert.notEqual(changed, text)
  writeFileSync(path, isCompressed ? gzipSync(changed) : changed)
}

function assertIntact({ problem }: TrailReport): void {
  assert.equal(problem, null, JSON.stringify(problem))
}

for (const [title, plan] of [
  ['JSON', {}],
  ['compressed JSON', { compress: true }],
  ['JSON with retention', { retention: { ...NO_RETENTION, maxFiles: 2 } }],
  ['compressed JSON with retention', { compress: true, retention: { ...NO_RETENTION, maxFiles: 2 } }],
  ['compressed CSV', { ...CSV, compress: true }],
] as const) {
  describe(`verification of ${title} that is written meanwhile`, () => {
    test('rotations after each listing are no alarm, and a changed line is', async () => {
      for (const rotations of [1, 3]) {
        using folder = new Folder()
        const writer = new Writer(folder.path, plan)
        await writer.write(12)
        const meanwhile = async () => {
          await writer.write(rotations * 3)
          await writer.compressed()
        }
        assertIntact(await verifyTrail(staleSource(writer, meanwhile), [CHAIN_SECRET]))
        if ('retention' in plan) {
          await writer.close()
          continue
        }
        tamper(writer.rotated()[1] as string)
        const { problem } = await verifyTrail(staleSource(writer, meanwhile), [CHAIN_SECRET])
        assert.match(problem?.message ?? '', /^this line was changed|not part of the chain/)
        await writer.close()
      }
    })

    test('a writer that never rests is no alarm; a file that is missing is one', async () => {
      using folder = new Folder()
      const writer = new Writer(folder.path, plan)
      await writer.write(12)
      const done = new AbortController()
      const writing = (async () => {
        while (!done.signal.aborted) {
          await writer.write(1)
          // Lets the other side have its turn.
          await new Promise(setImmediate)
        }
      })()
      try {
        const source = staleSource(writer, async () => {})
        const pause = () => writer.checkpoint()
        for (let n = 0; n < 5; n++) assertIntact(await verifyTrail(source, [CHAIN_SECRET], pause))
        if ('retention' in plan) return
        // Compression brings back a file that is removed meanwhile.
        const settled = () => writer.rotated().filter((path) => path.endsWith('.gz') === 'compress' in plan)
        await waitUntil('some files are rotated and compressed', () => settled().length > 4)
        rmSync(settled()[2] as string)
        const { problem } = await verifyTrail(source, [CHAIN_SECRET], pause)
        assert.match(problem?.message ?? '', 'headers' in plan ? /not part of the chain/ : /missing before this line/)
      } finally {
        done.abort()
        await writing
        await writer.close()
      }
    })
  })
}

describe('verification of files that move', () => {
  test('named files are found where they were moved to, also when retention has left none of them', async () => {
    for (const maxFiles of [Number.POSITIVE_INFINITY, 3]) {
      using folder = new Folder()
      const writer = new Writer(folder.path, { compress: true, retention: { ...NO_RETENTION, maxFiles } })
      await writer.write(12)
      const named = writer.paths()
      await writer.write(20)
      const source: TrailSource = {
        files: async () => {
          await writer.compressed()
          return named
        },
        moved: async () => writer.paths().filter((path) => !named.includes(path)),
      }
      const report = await verifyTrail(source, [CHAIN_SECRET], () => writer.checkpoint())
      assertIntact(report)
      assert.ok(report.lines > 0)
      await writer.close()
    }
  })

  test('files that retention removes between a listing and their reading are not missing', async () => {
    using folder = new Folder()
    const keep = { ...NO_RETENTION, maxFiles: 3 }
    const writer = new Writer(folder.path, { retention: keep })
    await writer.write(20)
    const meanwhile = (listing: number) => writer.write(listing < 3 ? 30 : 0)
    assertIntact(await verifyTrail(staleSource(writer, meanwhile), [CHAIN_SECRET]))
    rmSync(writer.rotated()[0] as string)
    const { problem } = await verifyTrail(
      staleSource(writer, async () => {}),
      [CHAIN_SECRET],
    )
    assert.match(problem?.message ?? '', /missing before this line/)
    await writer.close()
  })

  test('a compressed file that comes back after retention removed it is no alarm', async () => {
    using folder = new Folder()
    const writer = new Writer(folder.path, { retention: { ...NO_RETENTION, maxFiles: 3 } })
    await writer.write(6)
    const [first = ''] = writer.rotated()
    const content = gzipSync(readFileSync(first))
    await writer.write(30)
    assert.ok(!writer.rotated().includes(first))
    writeFileSync(`${first}.gz`, content)
    await writer.checkpoint()
    assertIntact(await verifyTrail(writer.paths(), [CHAIN_SECRET]))
    const late = staleSource(writer, async (listing) => listing === 0 && writer.write(3))
    assertIntact(await verifyTrail(late, [CHAIN_SECRET], () => writer.checkpoint()))
    await writer.close()
  })

  test('an end that retention removes while its signature is waited for is not missing', async () => {
    using folder = new Folder()
    const chain = chainPlan()
    const writer = new Writer(folder.path, { retention: { ...NO_RETENTION, maxFiles: 2 }, chain })
    await writer.write(11)
    const source = staleSource(writer, async () => {})
    let pauses = 0
    const pause = async () => {
      pauses++
      await writer.write(60)
    }
    assertIntact(await verifyTrail(source, [CHAIN_SECRET], pause))
    assert.ok(pauses > 0)
    await writer.close()
  })

  test('an end that is signed while it is waited for is intact; one that is not is an alarm', async () => {
    using folder = new Folder()
    const writer = new Writer(folder.path, { rotation: NO_ROTATION, chain: chainPlan() })
    await writer.write(3)
    const source = staleSource(writer, async () => {})
    const sign = async () => {
      await writer.checkpoint()
      await writer.write(1)
    }
    assertIntact(await verifyTrail(source, [CHAIN_SECRET], sign))
    const quiet = await verifyTrail(source, [CHAIN_SECRET])
    const busy = await verifyTrail(source, [CHAIN_SECRET], () => writer.write(1))
    for (const { problem } of [quiet, busy]) assert.match(problem?.message ?? '', /ends without a checkpoint/)
    await writer.close()
  })
})
