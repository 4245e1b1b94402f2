import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { chainPlan, eventText, fileEnv, filePlan } from '#test/audit-files'
import { Folder } from '#test/folder'
import { NO_ROTATION } from '../files/file-plan.ts'
import type { FileLine } from '../files/lines.ts'
import { TopicFile } from '../files/topic-file.ts'
import { TopicFiles } from '../files/topic-files.ts'
import { readTrail } from './read-trail.ts'

const line = (id: string | number, more = '') => `${JSON.stringify({ _id: String(id), more })}\n`

/** The events in lines; records of a chain are none. */
function eventsIn(lines: readonly FileLine[]): Record<string, unknown>[] {
  return lines
    .map(({ bytes }) => JSON.parse(bytes.toString()) as Record<string, unknown>)
    .filter((event) => event['_id'] !== undefined)
}

async function idsIn(trail: TopicFiles): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const lines of readTrail(trail, 'newest first')) found.push(...eventsIn(lines).map(({ _id: id }) => id))
  return found
}

describe('reading a trail', () => {
  test('lines over the borders of chunks are whole, whatever characters are there', async () => {
    using folder = new Folder()
    const trail = new TopicFiles(filePlan(folder.path), 'config')
    const texts = Array.from({ length: 300 }, (_, n) => 'ä€😀'.repeat(n))
    for (const [n, text] of texts.entries()) appendFileSync(trail.path, line(n, text))
    const found: string[] = []
    for await (const lines of readTrail(trail, 'newest first'))
      found.push(...eventsIn(lines).map(({ more }) => String(more)))
    assert.deepEqual(found, texts)
  })

  test('lines written after the start of reading are not waited for', async () => {
    using folder = new Folder()
    const rotation = { ...NO_ROTATION, maxFileSize: 100 }
    const file = new TopicFile(filePlan(folder.path, { rotation }), 'config', fileEnv())
    await file.append([eventText(1)])
    const found: unknown[] = []
    for await (const lines of readTrail(file.files, 'newest first')) {
      found.push(...eventsIn(lines).map(({ _id: id }) => id))
      for (let n = 2; n < 5; n++) await file.append([eventText(n, 'x'.repeat(100))])
    }
    assert.equal(found.filter((id) => id === '1').length, 1)
    await file.close()
  })

  test('lines of chained, rotated and compressed files are those that were written, in both orders', async () => {
    using folder = new Folder()
    const rotation = { ...NO_ROTATION, maxFileSize: 1_000 }
    const plan = filePlan(folder.path, { rotation, chain: chainPlan({ lines: 2 }), compress: true })
    const file = new TopicFile(plan, 'config', fileEnv())
    const all = Array.from({ length: 12 }, (_, n) => String(n))
    for (const id of all) await file.append([eventText(id)])
    await file.compressed
    await file.close()
    const found: object[] = []
    for await (const lines of readTrail(file.files, 'oldest first')) {
      found.push(...eventsIn(lines).map(({ _chain: _, ...event }) => event))
    }
    assert.deepEqual(
      found,
      all.map((id) => ({ _id: id, more: '' })),
    )
    assert.deepEqual((await idsIn(file.files)).sort(), all.toSorted())
  })

  test('of a tamper-evident trail, only lines of the chain are read', async () => {
    using folder = new Folder({ 'config.audit.json-2026.01.01-00.00.00': line('before') })
    const plan = filePlan(folder.path, { chain: chainPlan() })
    const path = folder.in('config.audit.json')
    const forged = (id: string) => eventText(id).replace('}', `,"_chain":{"n":9,"hash":"${'A'.repeat(43)}"}}`)
    for (const [n, text] of [eventText('forged'), forged('as a line of the chain'), ''].entries()) {
      const file = new TopicFile(plan, 'config', fileEnv())
      await file.start()
      await file.append([eventText(n * 2), eventText(n * 2 + 1)])
      await file.close()
      appendFileSync(path, text)
      const own = Array.from({ length: (n + 1) * 2 }, (_, id) => String(id))
      assert.deepEqual(await idsIn(file.files), own)
    }
    appendFileSync(path, `${eventText('whole line')}\n`)
    assert.deepEqual(await idsIn(new TopicFiles(plan, 'config')), ['0', '1', '2', '3', '4', '5'])
  })
})
