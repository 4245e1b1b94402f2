import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { AUDIT_MEMORY, CONTROL_CALLS } from '#contracts'
import { JOURNAL_MEMORY, type RecordBatch, recordsOf } from '#durable-queue'
import { Channel, type Handlers } from '#rpc'
import { type AuditOutlet, type AuditPlan, type RecordedEvent, systemClock } from '#schema'
import { Folder } from '#test/folder'
import { once, waitUntil, within } from '#test/waiting'
import { openAuditOutlet } from './audit-outlet.ts'

const NOTHING = {}

interface Sent {
  readonly batch: RecordBatch
  readonly journal: number | null
}

/** An outlet of a service whose handler has a spool, or none, and what it sends. */
async function opened(spool: string | null, plan = planOf(spool)) {
  const { port1, port2 } = new MessageChannel()
  const onFault = (error: Error) => assert.fail(error)
  const sent: Sent[] = []
  const memory = new SharedArrayBuffer(AUDIT_MEMORY.bytes)
  const near = new Channel<typeof CONTROL_CALLS, typeof NOTHING>(port1, {
    peer: 'control',
    remote: CONTROL_CALLS,
    handlers: {},
    onFault,
  })
  const handlers = {
    auditOpen: () => ({ id: 7, memory, journals: new SharedArrayBuffer(JOURNAL_MEMORY.bytes) }),
    auditEvents: (message: Sent) => void sent.push(message),
    auditClose: () => port2.close(),
  }
  new Channel<typeof NOTHING, typeof CONTROL_CALLS>(port2, {
    peer: 'unit',
    remote: NOTHING,
    handlers: handlers as unknown as Handlers<typeof CONTROL_CALLS>,
    onFault,
  })
  const outlet = await openAuditOutlet(near.remote, plan, systemClock)
  const ids = () => sent.map(({ batch }) => recordsOf(batch, 1, { format: 0, topics: ['access'] }).map(({ id }) => id))
  const close = async () => {
    outlet.close()
    await once(port1, 'close')
  }
  return { outlet, sent, ids, memory: new Int32Array(memory), [Symbol.asyncDispose]: close }
}

function planOf(spool: string | null): AuditPlan {
  const queue = {
    maxEvents: 100,
    maxBytes: 1 << 20,
    onFull: 'drop' as const,
    maxBlockTime: 0,
    spool: spool === null ? null : { directory: spool, maxBytes: 1 << 20 },
  }
  const handler = { name: 'jms', position: 0, topics: ['access'], format: 0, transport: { type: 'jms' }, queue }
  return { service: 'service', handlers: [{ ...handler, supportsQueries: false }], handlerForQueries: null }
}

const event = (id: string) => ({ topic: 'access', id, time: 1, texts: [`{"_id":"${id}"}`] })

function begun(outlet: AuditOutlet, id: string) {
  assert.ok(outlet.begin, 'events are recorded')
  return outlet.begin(event(id)) ?? assert.fail('not recorded')
}

/** Resolves when an event is stored. */
function storedOf(event: RecordedEvent | undefined): Promise<void> {
  return new Promise((resolve) => event?.stored.whenStored(resolve))
}

test('without a spool no event is recorded before the end of its request', async () => {
  await using service = await opened(null)
  assert.equal(service.outlet.begin, null)
  service.outlet.publish(event('a'))
  await waitUntil('a batch', () => service.sent.length === 1)
  assert.equal(service.sent[0]?.journal, null)
})

test('a request waits for the time of the handlers with onFull block, whatever others have', async () => {
  const { handlers, ...plan } = planOf(null)
  const [handler] = handlers as [AuditPlan['handlers'][number]]
  const withQueue = (name: string, onFull: 'drop' | 'block', maxBlockTime: number) => ({
    ...handler,
    name,
    queue: { ...handler.queue, onFull, maxBlockTime },
  })
  const both = [withQueue('blocking', 'block', 20), withQueue('dropping', 'drop', 60_000)]
  await using service = await opened(null, { ...plan, handlers: both })
  Atomics.store(service.memory, AUDIT_MEMORY.full, 1)
  assert.equal(service.outlet.isFull, true)
  await within('the end of the wait', service.outlet.waitForRoom())
})

test('a recorded event is in the journal when it is stored, and sent when its request has ended', async () => {
  using folder = new Folder()
  await using service = await opened(folder.path)
  const a = begun(service.outlet, 'a')
  const b = begun(service.outlet, 'b')
  assert.equal(a.stored, b.stored, 'one write for all events of a turn')
  assert.deepEqual(readdirSync(folder.path), [])
  await storedOf(a)
  const [name = ''] = readdirSync(folder.path)
  assert.match(folder.read(name), /"_id":"a".*"_id":"b"/s)
  a.commit()
  b.rollback()
  await waitUntil('a batch', () => service.sent.length === 1)
  assert.deepEqual(service.ids(), [['a']])
  assert.equal(service.sent[0]?.journal, 1)
})

test('an event whose request outlasts its batch is sent with a later one', async () => {
  using folder = new Folder()
  await using service = await opened(folder.path)
  const slow = begun(service.outlet, 'slow')
  const aborted = begun(service.outlet, 'aborted')
  begun(service.outlet, 'quick').commit()
  await waitUntil('a batch', () => service.sent.length === 1)
  assert.deepEqual(service.ids(), [['quick']])
  aborted.rollback()
  slow.amend({ ...event('slow'), texts: ['{"_id":"slow","elapsedTime":9}'] })
  await waitUntil('another batch', () => service.sent.length === 2)
  assert.match(Buffer.from(service.sent[1]?.batch.bytes ?? []).toString(), /"_id":"slow","elapsedTime":9/)
  assert.deepEqual(service.ids(), [['quick'], ['slow']])
  assert.deepEqual(
    service.sent.map(({ journal }) => journal),
    [1, 2],
  )
})

test('events that fill a batch within one turn are sent together, in order', async () => {
  using folder = new Folder()
  await using service = await opened(folder.path)
  const ids = Array.from({ length: 2_000 }, (_, number) => String(number).padStart(400, '0'))
  const recorded = ids.map((id) => begun(service.outlet, id))
  await storedOf(recorded[0])
  for (const each of recorded) each.commit()
  await waitUntil('a batch', () => service.sent.length === 1)
  assert.deepEqual(service.ids(), [ids])
})

test('clients that never read cost nothing after the first batch', async () => {
  using folder = new Folder()
  await using service = await opened(folder.path)
  for (let number = 0; number < 5_000; number++) begun(service.outlet, `unread ${number}`)
  await waitUntil('a batch', () => service.sent.length > 0)
  const sent = service.sent.length
  begun(service.outlet, 'quick').commit()
  await waitUntil('another batch', () => service.sent.length > sent)
  assert.deepEqual(service.ids().flat(), ['quick'])
  assert.equal(service.sent.at(-1)?.batch.length, 1)
})

test('an outlet that is closed records nothing, and leaves no open journal', async () => {
  using folder = new Folder()
  const service = await opened(folder.path)
  const pending = begun(service.outlet, 'a')
  await service[Symbol.asyncDispose]()
  await storedOf(pending)
  pending.commit()
  assert.equal(service.outlet.begin?.(event('b')), null)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(readdirSync(folder.path).filter((name) => !name.endsWith('.1.journal')).length, 0)
})
