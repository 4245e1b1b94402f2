import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { CHAIN_SECRET, chainPlan, eventText, fileEnv, filePlan, namesIn } from '#test/audit-files'
import { Folder } from '#test/folder'
import { type FilePlan, NO_RETENTION, NO_ROTATION, type RetentionPlan } from '../files/file-plan.ts'
import { TopicFile } from '../files/topic-file.ts'
import { verifyTrail } from '../verify/verify-trail.ts'

const NAME = 'access.audit.json-2030.01.01-00.00.0'

/** A process that rotates for each event, and ends in order. */
async function run(directory: string, events: number, more: Partial<FilePlan>): Promise<void> {
  const rotation = { ...NO_ROTATION, maxFileSize: 1 }
  const file = new TopicFile(filePlan(directory, { rotation, chain: chainPlan(), ...more }), 'access', fileEnv())
  for (let n = 0; n < events; n++) await file.append([eventText(n)])
  await file.check()
  await file.close()
}

describe('retention of a tamper-evident trail', () => {
  for (const [title, forge] of [
    ['any text', () => Buffer.from(eventText('forged'))],
    ['compressed text', () => gzipSync(eventText('forged'))],
    ['lines that look like those of a chain', (trail: Buffer) => Buffer.from(trail.toString().replaceAll('e', 'f'))],
    ['a copy of a true file', (trail: Buffer) => trail],
  ] as const) {
    for (const [limit, retention] of [
      ['number', { maxFiles: 5 }],
      ['disk space', { maxDiskSpace: 5_000 }],
    ] as const satisfies [string, Partial<RetentionPlan>][]) {
      test(`by ${limit} does not count files with ${title}, nor remove them`, async () => {
        using folder = new Folder()
        const more = { retention: { ...NO_RETENTION, ...retention } }
        await run(folder.path, 12, more)
        const rotated = namesIn(folder.path).filter((name) => name.startsWith('access.audit.json-'))
        const content = forge(readFileSync(folder.in(rotated[2] as string)))
        const forged = Array.from({ length: 6 }, (_, n) => `${NAME}${n}${title.startsWith('comp') ? '.gz' : ''}`)
        for (const name of forged) writeFileSync(folder.in(name), content)
        await run(folder.path, 1, more)
        for (const name of forged) assert.ok(existsSync(folder.in(name)), name)
        const left = namesIn(folder.path).filter(
          (name) => name.startsWith('access.audit.json') && !forged.includes(name),
        )
        assert.ok(rotated.filter((name) => left.includes(name)).length >= rotated.length - 2, left.join(' '))
        const files = left.map((name) => join(folder.path, name))
        const { problem } = await verifyTrail(files, [CHAIN_SECRET])
        assert.equal(problem, null, JSON.stringify(problem))
      })
    }
  }

  test('removes files of an older secret before those of the present one', async () => {
    using folder = new Folder()
    const retention = { ...NO_RETENTION, maxFiles: 5 }
    await run(folder.path, 5, { retention })
    const later = { secret: Buffer.alloc(32, 7) }
    await run(folder.path, 4, { retention, chain: chainPlan({ key: later }) })
    const files = namesIn(folder.path).map((name) => join(folder.path, name))
    assert.equal(files.length, 7)
    const { problem } = await verifyTrail(files, [CHAIN_SECRET, later])
    assert.equal(problem, null, JSON.stringify(problem))
    await run(folder.path, 6, { retention, chain: chainPlan({ key: later }) })
    const own = namesIn(folder.path).map((name) => join(folder.path, name))
    assert.equal((await verifyTrail(own, [later])).problem, null)
  })

  test('leaves files of a time without tamper evidence', async () => {
    const old = 'access.audit.json-2020.01.01-00.00.00'
    using folder = new Folder({ [old]: `${eventText(1)}\n` })
    await run(folder.path, 6, { retention: { ...NO_RETENTION, maxFiles: 1 } })
    assert.equal(namesIn(folder.path).length, 4)
    assert.equal(folder.read(old), `${eventText(1)}\n`)
  })
})
