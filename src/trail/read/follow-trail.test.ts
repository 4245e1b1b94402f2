import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { describe, test } from 'node:test'
import { chainPlan, eventText, fileEnv, filePlan } from '#test/audit-files'
import { Folder } from '#test/folder'
import { type FilePlan, NO_RETENTION, NO_ROTATION } from '../files/file-plan.ts'
import type { FileLine } from '../files/lines.ts'
import { TopicFile } from '../files/topic-file.ts'
import { followTrail, type MissedFiles } from './follow-trail.ts'
import type { TrailFiles } from './read-trail.ts'

/** `_id` of the events in lines; records of a chain have none. */
function idsIn(lines: readonly FileLine[]): string[] {
  return lines.flatMap(({ bytes }) => (JSON.parse(bytes.toString()) as { _id?: string })._id ?? [])
}

/** A topic whose file is rotated by each third event or so, and what a follower of it has read. */
class Followed {
  readonly file: TopicFile
  readonly ids: string[] = []
  readonly missed: MissedFiles[] = []
  #written = 0

  constructor(directory: string, more: Partial<FilePlan> = {}) {
    const rotation = { ...NO_ROTATION, maxFileSize: more.chain === undefined ? 100 : 800 }
    this.file = new TopicFile(filePlan(directory, { rotation, ...more }), 'access', fileEnv())
  }

  async write(events: number): Promise<void> {
    for (let n = 0; n < events; n++) await this.file.append([eventText(this.#written++)])
    await this.file.compressed
  }

  /** Follows until all steps were made, one whenever there is nothing to read, and until the end is read after that. */
  async follow(
    steps: readonly (() => unknown)[],
    { onEvents = () => {}, files = this.file.files }: { onEvents?: () => unknown; files?: TrailFiles } = {},
  ): Promise<void> {
    const rest = [...steps]
    const end = new Error('the end')
    let isQuiet = false
    const pause = async (): Promise<void> => {
      const step = rest.shift()
      if (step === undefined && isQuiet) throw end
      isQuiet = step === undefined
      await step?.()
    }
    try {
      for await (const { lines, missed } of followTrail(files, pause)) {
        this.ids.push(...idsIn(lines))
        if (missed !== undefined) this.missed.push(missed)
        if (idsIn(lines).length === 0) continue
        isQuiet = false
        await onEvents()
      }
    } catch (error) {
      if (error !== end) throw error
    }
    await this.file.close()
  }

  assertAll(from = 0): void {
    const all = Array.from({ length: this.#written - from }, (_, n) => String(n + from))
    assert.deepEqual(this.ids, all)
    assert.deepEqual(this.missed, [])
  }
}

for (const [title, plan] of [
  ['plain files', {}],
  ['compressed files', { compress: true }],
  ['a chain in compressed files', { compress: true, chain: chainPlan({ lines: 2 }) }],
] as const) {
  describe(`following ${title}`, () => {
    test('any number of rotations between two looks loses and repeats nothing', async () => {
      for (const events of [1, 2, 3, 4, 7, 30]) {
        using folder = new Folder()
        const followed = new Followed(folder.path, plan)
        const write = () => followed.write(events)
        await followed.follow([write, write, () => {}, write, write, write])
        followed.assertAll()
      }
    })

    test('nor do rotations while events are shown', async () => {
      using folder = new Folder()
      const followed = new Followed(folder.path, plan)
      let turns = 20
      const onEvents = () => (turns-- > 0 ? followed.write(5) : undefined)
      await followed.follow([() => followed.write(3)], { onEvents })
      followed.assertAll()
    })

    test('files that were rotated before are not read', async () => {
      using folder = new Folder()
      const followed = new Followed(folder.path, plan)
      await followed.write(20)
      const active = readFileSync(followed.file.files.path, 'utf8')
      const first = Number(/"_id":"(\d+)"/.exec(active)?.[1])
      await followed.follow([() => followed.write(20)])
      followed.assertAll(first)
    })
  })
}

describe('following a trail', () => {
  test('lines of a chain that retention removed before they were read are counted', async () => {
    using folder = new Folder()
    const retention = { ...NO_RETENTION, maxFiles: 2 }
    const followed = new Followed(folder.path, { retention, chain: chainPlan({ lines: 2 }) })
    const { ids } = followed
    await followed.follow([() => followed.write(4), () => followed.write(40)])
    assert.deepEqual([ids[0], ids.at(-1)], ['0', '43'])
    assert.equal(new Set(ids).size, ids.length)
    const [missed, ...more] = followed.missed
    assert.deepEqual([missed?.names, more], [[], []])
    const missing = 44 - ids.length
    assert.ok(missing > 0 && (missed?.lines ?? 0) > missing, `${missed?.lines} lines, ${missing} events`)
  })

  test('a line that is not part of the chain is no event', async () => {
    using folder = new Folder()
    const followed = new Followed(folder.path, { chain: chainPlan(), rotation: NO_ROTATION })
    const forge = () => appendFileSync(followed.file.files.path, `${eventText('forged')}\n`)
    await followed.follow([() => followed.write(2), forge])
    followed.assertAll()
  })

  test('without a chain, files that were seen are named, and others said to be possible', async () => {
    using folder = new Folder()
    const followed = new Followed(folder.path)
    const { files } = followed.file
    /** Removes the second file as soon as it was listed. */
    const rotated = async () => {
      const names = await files.rotated()
      if (names.length > 2) rmSync(names[1]?.path as string, { force: true })
      return names
    }
    await followed.follow([() => followed.write(2), () => followed.write(12)], {
      files: { path: files.path, rotated, isChained: false },
    })
    assert.deepEqual(
      followed.missed.map(({ names, lines }) => [names.length, lines]),
      [[1, null]],
    )
    using other = new Folder()
    const pruned = new Followed(other.path, { retention: { ...NO_RETENTION, maxFiles: 1 } })
    await pruned.follow([() => pruned.write(2), () => pruned.write(10)])
    assert.deepEqual(pruned.missed, [{ names: [], lines: null }])
  })

  test('a file that is renamed by log rotation, truncated or not there yet', async () => {
    using folder = new Folder()
    const followed = new Followed(folder.path, { rotation: NO_ROTATION })
    const path = folder.in('access.audit.json')
    await followed.follow([
      () => {},
      () => followed.write(2),
      async () => {
        renameSync(path, `${path}.1`)
        await followed.write(2)
      },
      async () => {
        truncateSync(path, 0)
        await followed.file.reopen()
        await followed.write(1)
      },
    ])
    followed.assertAll()
  })
})
