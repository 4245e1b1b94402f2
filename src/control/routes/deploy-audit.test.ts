import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { QueuedRecord } from '#durable-queue'
import type { JsonObject } from '#json'
import { ConfigAudit } from '../audit/config-audit.ts'
import { DeployAudit } from './deploy-audit.ts'
import type { ServedRoute } from './route-plan.ts'

/** A trail that keeps events in memory, and how many it was handed at a time. */
function trail() {
  const events: JsonObject[] = []
  let open = 0
  const most = { atOnce: 0 }
  const add = (records: readonly QueuedRecord[]): void => {
    for (const { text } of records) events.push(JSON.parse(text) as JsonObject)
  }
  const attempt = async (): Promise<boolean> => {
    most.atOnce = Math.max(most.atOnce, ++open)
    await Promise.resolve()
    open--
    return true
  }
  const audit = new ConfigAudit({ add, attempt }, { now: () => 0 })
  return { events, most, changes: new DeployAudit(audit, 'system/objects/_router/routes') }
}

function served(id: string, revision: string, text: string, file = `${id}.json`): [string, ServedRoute] {
  return [id, { file, source: { file, id, name: id, revision, text } }]
}

const pick = (events: readonly JsonObject[], ...names: string[]) =>
  events.map((event) => names.map((name) => event[name] ?? null))

describe('changes of a folder', () => {
  test('are distinguished by the version served before and now', async () => {
    const { events, changes } = trail()
    changes.deployed(
      new Map([
        served('same', 's', '{}'),
        served('other', 'a', '{"x":1,"_id":"other"}'),
        served('gone', 'g', '{"y":1}'),
      ]),
      new Map([served('same', 's', '{}'), served('other', 'b', '/* x */ {"x":2}'), served('new', 'n', '{"z":1}')]),
    )
    await changes.written()
    assert.deepEqual(pick(events, 'operation', 'objectId', 'previousRevision', 'revision', 'changedFields'), [
      ['UPDATE', 'system/objects/_router/routes/other', 'a', 'b', ['/x']],
      ['DELETE', 'system/objects/_router/routes/gone', 'g', null, ['/y']],
      ['CREATE', 'system/objects/_router/routes/new', null, 'n', ['/z']],
    ])
    assert.equal(new Set(events.map(({ transactionId }) => transactionId)).size, 1)
  })

  test('a file that was given another name, and nothing else, is no change', async () => {
    const { events, changes } = trail()
    changes.deployed(new Map([served('a', '1', '{}')]), new Map([served('a', '1', '{}', 'renamed.json')]))
    await changes.written()
    assert.deepEqual(events, [])
  })

  test('an event for a file that does not load has the pointers of its problems, not their messages', async () => {
    const { events, changes } = trail()
    const [, before] = served('a', '1', '{}')
    changes.failed('a.json', 'a', before, [{ pointer: '/handler/config/x', message: 'got "hunter2"' }])
    changes.failed('b.json', 'b', undefined, [{ pointer: '', message: 'not valid JSON' }])
    await changes.written()
    assert.deepEqual(pick(events, 'operation', 'previousRevision', 'revision', 'response'), [
      ['UPDATE', '1', null, { status: 'FAILED', detail: { pointers: ['/handler/config/x'] } }],
      ['CREATE', null, null, { status: 'FAILED', detail: { pointers: [''] } }],
    ])
    assert.doesNotMatch(JSON.stringify(events), /hunter2/)
  })

  test('thousands at once reach the trail in their order, some at a time', async () => {
    const { events, most, changes } = trail()
    const many = Array.from({ length: 2_000 }, (_, n) => served(`r${n}`, 'x', '{}'))
    changes.deployed(new Map(), new Map(many))
    await changes.written()
    assert.deepEqual(
      events.map(({ objectId }) => String(objectId).split('/').at(-1)),
      many.map(([id]) => id),
    )
    assert.equal(most.atOnce, 100)
  })
})
