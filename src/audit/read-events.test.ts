import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filePlan } from '#test/audit-files'
import { Folder } from '#test/folder'
import { TopicFiles } from '#trail'
import { readEvents } from './read-events.ts'

async function eventsIn(folder: Folder): Promise<object[]> {
  const found: object[] = []
  for await (const events of readEvents(new TopicFiles(filePlan(folder.path), 'config')))
    found.push(...events.map(({ fields }) => fields))
  return found
}

describe('reading events', () => {
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
    assert.deepEqual(await eventsIn(folder), [{ _id: 'good' }])
  })

  test('the id of events for Elasticsearch is known by its other name', async () => {
    using folder = new Folder({ 'config.audit.json': '{"_eventId":"1","a":2}\n' })
    assert.deepEqual(await eventsIn(folder), [{ _id: '1', a: 2 }])
  })
})
