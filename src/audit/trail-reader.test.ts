import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { chainPlan, eventText, fileEnv, filePlan } from '#test/audit-files'
import { Folder } from '#test/folder'
import { NO_ROTATION } from './files/file-plan.ts'
import { TopicFile } from './files/topic-file.ts'
import { TopicFiles } from './files/topic-files.ts'
import { readTrail } from './trail-reader.ts'

const line = (id: string | number, more = '') => `${JSON.stringify({ _id: String(id), more })}\n`

async function idsIn(trail: TopicFiles): Promise<string[]> {
  const found: string[] = []
  for await (const events of readTrail(trail)) found.push(...events.map(({ id }) => id))
  return found
}

describe('reading a trail', () => {
  test('lines over the borders of chunks are whole, whatever characters are there', async () => {
    using folder = new Folder()
    const trail = new TopicFiles(filePlan(folder.path), 'config')
    const texts = Array.from({ length: 300 }, (_, n) => 'ä€😀'.repeat(n))
    for (const [n, text] of texts.entries()) appendFileSync(trail.path, line(n, text))
    const found: string[] = []
    for await (const events of readTrail(trail)) found.push(...events.map(({ fields }) => String(fields['more'])))
    assert.deepEqual(found, texts)
  })

  test('lines that are no events are skipped', async () => {
    using folder = new Folder({
      'config.audit.json': [
        '',
        'no json',
        '[]',
        'null',
        '{"_id":7}',
        '{"id":"x"}',
        `{"_id":"${'x'.repeat(5_000_000)}"}`,
        `{"_id":"deep","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
        `${'y'.repeat(200_000)}`,
        '{"_id":"good"}',
      ].join('\n'),
    })
    assert.deepEqual(await idsIn(new TopicFiles(filePlan(folder.path), 'config')), ['good'])
  })

  test('events written after the start of reading are not waited for', async () => {
    using folder = new Folder()
    const rotation = { ...NO_ROTATION, maxFileSize: 100 }
    const file = new TopicFile(filePlan(folder.path, { rotation }), 'config', fileEnv())
    await file.append([eventText(1)])
    const found: string[] = []
    for await (const events of readTrail(file.files)) {
      found.push(...events.map(({ id }) => id))
      for (let n = 2; n < 5; n++) await file.append([eventText(n, 'x'.repeat(100))])
    }
    assert.equal(found.filter((id) => id === '1').length, 1)
    await file.close()
  })

  test('events of chained, rotated and compressed files are those that were written, in both orders', async () => {
    using folder = new Folder()
    const rotation = { ...NO_ROTATION, maxFileSize: 1_000 }
    const plan = filePlan(folder.path, { rotation, chain: chainPlan({ lines: 2 }), compress: true })
    const file = new TopicFile(plan, 'config', fileEnv())
    const all = Array.from({ length: 12 }, (_, n) => String(n))
    for (const id of all) await file.append([eventText(id)])
    await file.compressed
    await file.close()
    const found: object[] = []
    for await (const events of readTrail(file.files, { order: 'oldest first' })) {
      found.push(...events.map(({ fields }) => fields))
    }
    assert.deepEqual(
      found,
      all.map((id) => ({ _id: id, more: '' })),
    )
    assert.deepEqual((await idsIn(file.files)).sort(), all.toSorted())
  })

  test('of a tamper-evident trail, only lines of the chain are events', async () => {
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

  test('the id of events for Elasticsearch is known by its other name', async () => {
    using folder = new Folder({ 'config.audit.json': '{"_eventId":"1","a":2}\n' })
    for await (const [event] of readTrail(new TopicFiles(filePlan(folder.path), 'config'))) {
      if (event !== undefined) assert.deepEqual(event.fields, { _id: '1', a: 2 })
    }
  })
})
