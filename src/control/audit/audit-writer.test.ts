import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { configTrailPlan, journalTargets } from '#audit'
import { AUDIT_MEMORY } from '#contracts'
import { BatchBuilder, JournalGate, JournalWriter, journalPath } from '#durable-queue'
import { createLogger, memoryLog } from '#logging'
import { MetricsRegistry } from '#metrics'
import { type AuditPlan, type HandlerPlan, type QueuePlan, systemClock } from '#schema'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import { AuditWriter } from './audit-writer.ts'

const QUEUE: QueuePlan = { maxEvents: 8, maxBytes: 1_048_576, onFull: 'drop', maxBlockTime: 0, spool: null }

function open(log = memoryLog()) {
  const logger = createLogger({ destination: log })
  const metrics = new MetricsRegistry()
  const writer = new AuditWriter({ logger, clock: systemClock, openMetrics: () => metrics.open() })
  return { writer, metrics, [Symbol.asyncDispose]: () => writer.shutdown(1_000) }
}

/** The handler of a service that writes the topic `config` to a folder. */
function toFolder(directory: string): HandlerPlan {
  const transport = { type: 'file', exclusive: directory, ...configTrailPlan(directory) }
  return { name: 'file', position: 0, topics: ['config'], format: 0, transport, queue: QUEUE, supportsQueries: true }
}

const planOf = (handler: HandlerPlan, service = 'gateway+AuditService'): AuditPlan => ({
  service,
  handlers: [handler],
  handlerForQueries: handler.name,
})

function opened(result: ReturnType<AuditWriter['open']>) {
  assert.ok('id' in result, JSON.stringify(result))
  return { ...result, memory: new Int32Array(result.memory) }
}

function batch(...ids: readonly string[]) {
  const builder = new BatchBuilder()
  for (const id of ids) builder.add({ topic: 'config', id, time: Date.now(), texts: [JSON.stringify({ _id: id })] })
  return builder.build()
}

const lines = (folder: Folder, directory: string): string[] => {
  const path = folder.in(`${directory}/config.audit.json`)
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

test('units share the handlers of a service: the events of all are in one file', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const plan = planOf(toFolder(folder.in('trail')))
  const [first, second] = [opened(writer.open({}, plan)), opened(writer.open({}, plan))]
  writer.take(first.id, batch('a'), 0)
  writer.take(second.id, batch('b'), 0)
  await waitUntil('two events in the file', () => lines(folder, 'trail').length === 2)
  assert.equal(first.memory[AUDIT_MEMORY.eventsRead], 1)
  assert.equal(writer.checks.length, 1)
})

test('a file that is handed over is written again where no process has taken it', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const { id } = opened(writer.open({}, planOf(toFolder(folder.in('trail')))))
  writer.take(id, batch('before'), 0)
  const taken = Promise.withResolvers<boolean>()
  const passed: string[] = []
  await writer.handOver(async (file, records) => {
    passed.push(file, ...records.map((record) => record.id))
    return taken.promise
  })
  assert.equal(lines(folder, 'trail').length, 1)
  writer.take(id, batch('meanwhile'), 0)
  // A handler that is opened now leaves its file closed, too.
  const other = opened(writer.open({}, planOf(toFolder(folder.in('other')), 'another')))
  writer.take(other.id, batch('other'), 0)
  await waitUntil('both events wait', () => passed.length === 4)
  assert.deepEqual(passed.toSorted(), [
    folder.in('other/*.audit.json'),
    folder.in('trail/*.audit.json'),
    'meanwhile',
    'other',
  ])
  assert.deepEqual([lines(folder, 'trail').length, existsSync(folder.in('other/config.audit.json'))], [1, false])
  taken.resolve(false)
  await waitUntil('they are written', () => lines(folder, 'trail').length === 2 && lines(folder, 'other').length === 1)
})

test('a handler that can not write does not stop the others', async () => {
  using folder = new Folder({ blocked: 'a file in place of the folder' })
  const log = memoryLog()
  await using writing = open(log)
  const { writer } = writing
  const [broken, working] = [toFolder(folder.in('blocked')), { ...toFolder(folder.in('trail')), name: 'working' }]
  const { id } = opened(writer.open({}, { ...planOf(broken), handlers: [broken, working] }))
  for (const event of ['a', 'b']) writer.take(id, batch(event), 0)
  await waitUntil('both events in the other file', () => lines(folder, 'trail').length === 2)
  await waitUntil('a log entry', () => log.entries.length > 0)
  assert.deepEqual(
    writer.checks.map(({ ok, state }) => [ok, state]),
    [
      [true, 'degraded'],
      [true, 'up'],
    ],
  )
})

test('a shutdown does not wait longer for a handler that is no longer configured', async () => {
  using folder = new Folder({ blocked: 'a file in place of the folder' })
  const log = memoryLog()
  const { writer, metrics } = open(log)
  const { id } = opened(writer.open({}, planOf(toFolder(folder.in('blocked')))))
  writer.take(id, batch('a'), 0)
  await waitUntil('a failed attempt', () => log.entries.length > 0)
  writer.close(id)
  const begun = performance.now()
  await writer.shutdown(50)
  assert.ok(performance.now() - begun < 5_000, 'the handler had its own time')
  assert.deepEqual(
    log.entries.map(({ code }) => code),
    ['GW_AUDIT_DELIVERY_FAILED', 'GW_AUDIT_EVENTS_LOST'],
  )
  const lost = metrics.collect().filter(({ name }) => name === 'gw_audit_lost_total')
  assert.deepEqual(
    lost.map(({ labels, value }) => ({ ...labels, value })),
    [{ handler: 'file', reason: 'closed', value: 1 }],
  )
})

test('counters do not go down when a handler of the same name replaces another', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer, metrics } = writing
  const delivered = () => metrics.collect().find(({ name }) => name === 'gw_audit_events_total')?.value
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    const { id } = opened(writer.open({}, { ...planOf(toFolder(folder.in(name))), service: name }))
    writer.take(id, batch(name), 0)
    await waitUntil('the event of the handler', () => delivered() === at + 1)
    writer.close(id)
  }
  await writer.shutdown(1_000)
  assert.equal(delivered(), 3)
})

test('an event of an older version of a route does not bring its settings back', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const older = opened(writer.open({}, planOf(toFolder(folder.in('old')))))
  const newer = opened(writer.open({}, planOf(toFolder(folder.in('new')))))
  writer.take(newer.id, batch('a'), 0)
  writer.take(older.id, batch('b'), 0)
  await waitUntil('both events in the new file', () => lines(folder, 'new').length === 2)
  assert.deepEqual(lines(folder, 'old'), [])
})

test('queries are served while one unit has the service of config.json, also after the end of another', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const units = [{}, {}] as const
  for (const unit of units) {
    writer.serveQueries(opened(writer.open(unit, planOf(toFolder(folder.in('trail'))))).id)
  }
  writer.closeAll(units[1])
  assert.equal(writer.queriedService?.handlerForQueries, 'file')
  writer.closeAll(units[0])
  assert.equal(writer.queriedService, null)
})

test('a handler with other bounds of its queue has another queue', async () => {
  await using writing = open()
  const { writer } = writing
  const transport = { type: 'otlp', endpoint: 'http://127.0.0.1:1', resourceAttributes: {}, tls: null }
  const handler = {
    name: 'otlp',
    position: 0,
    topics: ['config'],
    format: 0,
    transport,
    queue: QUEUE,
    supportsQueries: true,
  }
  opened(writer.open({}, planOf(handler)))
  const blocking = opened(writer.open({}, planOf({ ...handler, queue: { ...QUEUE, onFull: 'block' } })))
  assert.equal(blocking.memory[AUDIT_MEMORY.full], 0)
  writer.take(blocking.id, batch('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'), 0)
  assert.equal(blocking.memory[AUDIT_MEMORY.full], 1)
  assert.equal(writer.checks.length, 2)
})

test('a folder that another service writes to is a problem at its logDirectory', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  opened(writer.open({}, planOf(toFolder(folder.in('trail')))))
  const handler = toFolder(folder.in('trail'))
  const others: HandlerPlan[] = [
    { ...handler, name: 'another' },
    { ...handler, transport: { ...handler.transport, extension: '.csv' } as HandlerPlan['transport'] },
    { ...handler, queue: { ...QUEUE, spool: { directory: folder.in('spool'), maxBytes: 1_048_576 } } },
  ]
  for (const other of others) {
    const refused = writer.open({}, planOf(other, 'gateway+Other'))
    assert.ok('problems' in refused)
    assert.equal(refused.problems[0]?.pointer, '/eventHandlers/0/config/logDirectory')
    assert.match(
      refused.problems[0]?.message ?? '',
      /^".*": the audit service gateway\+AuditService writes to .*trail; /,
    )
  }
})

test('services whose handlers write the same files share a folder and its writer', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const [trail, elsewhere] = [toFolder(folder.in('trail')), toFolder(folder.in('elsewhere'))]
  const one = opened(writer.open({}, inDocument(planOf(trail, 'gateway+One'), 'r1')))
  const two = opened(writer.open({}, planOf(trail, 'gateway+Two')))
  writer.take(one.id, batch('a'), 0)
  writer.take(two.id, batch('b'), 0)
  assert.equal(writer.checks.length, 1)
  // The other one stays where it is.
  const moved = opened(writer.open({}, inDocument(planOf(elsewhere, 'gateway+One'), 'r2')))
  writer.take(moved.id, batch('c'), 0)
  writer.take(two.id, batch('d'), 0)
  writer.close(one.id)
  const third = opened(writer.open({}, planOf(trail, 'gateway+Three')))
  writer.take(third.id, batch('e'), 0)
  assert.equal(writer.checks.length, 2)
  await waitUntil('all events', () => lines(folder, 'trail').length === 4 && lines(folder, 'elsewhere').length === 1)
  assert.deepEqual(
    lines(folder, 'trail').map((line) => JSON.parse(line)._id),
    ['a', 'b', 'd', 'e'],
  )
  writer.close(two.id)
  writer.close(third.id)
  assert.equal(writer.checks.length, 1)
})

test('a folder that a replaced version leaves can not be shared until its requests end', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const [trail, elsewhere] = [toFolder(folder.in('trail')), toFolder(folder.in('elsewhere'))]
  const older = opened(writer.open({}, inDocument(planOf(trail, 'gateway+One'), 'r1')))
  opened(writer.open({}, inDocument(planOf(elsewhere, 'gateway+One'), 'r2')))
  assert.ok('problems' in writer.open({}, planOf(trail, 'gateway+Two')))
  writer.close(older.id)
  opened(writer.open({}, planOf(trail, 'gateway+Two')))
})

const inDocument = (plan: AuditPlan, revision: string): AuditPlan => ({
  ...plan,
  document: { name: 'gateway+_router+pay', revision },
})

test('a new version of a route may rename its service and keep the folder, which has one writer at any time', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const handler = toFolder(folder.in('trail'))
  const older = opened(writer.open({}, inDocument(planOf(handler, 'gateway+_router+pay+Old'), 'r1')))
  writer.take(older.id, batch('a'), 0)
  const newer = opened(writer.open({}, inDocument(planOf(handler, 'gateway+_router+pay+New'), 'r2')))
  writer.take(newer.id, batch('b'), 0)
  // A request of the older version that ends late.
  writer.take(older.id, batch('c'), 0)
  assert.equal(writer.checks.length, 1)
  writer.close(older.id)
  writer.take(newer.id, batch('d'), 0)
  await waitUntil('all events in the file', () => lines(folder, 'trail').length === 4)
  assert.deepEqual(
    lines(folder, 'trail').map((line) => JSON.parse(line)._id),
    ['a', 'b', 'c', 'd'],
  )
  const stranger = planOf({ ...handler, name: 'another' }, 'gateway+Other')
  assert.ok('problems' in writer.open({}, stranger))
  writer.close(newer.id)
  assert.equal(writer.checks.length, 0)
  opened(writer.open({}, stranger))
})

test('two services of one version of a route can not write different files to one folder', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const handler = toFolder(folder.in('trail'))
  opened(writer.open({}, inDocument(planOf(handler, 'gateway+_router+pay+One'), 'r1')))
  const other = planOf({ ...handler, name: 'another' }, 'gateway+_router+pay+Two')
  assert.ok('problems' in writer.open({}, inDocument(other, 'r1')))
})

test('handlers of one name in two services have one series with their sum', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer, metrics } = writing
  const one = opened(writer.open({}, planOf(toFolder(folder.in('one')), 'gateway+One')))
  const two = opened(writer.open({}, planOf(toFolder(folder.in('two')), 'gateway+Two')))
  const delivered = () => metrics.collect().find(({ name }) => name === 'gw_audit_events_total')?.value
  writer.take(one.id, batch('a', 'b'), 0)
  writer.take(two.id, batch('c'), 0)
  await waitUntil('three delivered events', () => delivered() === 3)
})

test('a topic that a reload adds to a handler has its series at once, beside the counts so far', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer, metrics } = writing
  const handler = toFolder(folder.in('trail'))
  const before = opened(writer.open({}, inDocument(planOf(handler), 'r1')))
  const delivered = () =>
    metrics
      .collect()
      .filter(({ name }) => name === 'gw_audit_events_total')
      .map(({ labels, value }) => [labels['topic'], labels['handler'], value])
  writer.take(before.id, batch('a'), 0)
  await waitUntil('a delivered event', () => delivered()[0]?.[2] === 1)
  opened(writer.open({}, inDocument(planOf({ ...handler, topics: ['config', 'access'] }), 'r2')))
  assert.deepEqual(delivered(), [
    ['config', 'file', 1],
    ['access', 'file', 0],
  ])
})

test('renewed transports are used by later batches, unless a newer version of the route has its own', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const older = opened(writer.open({}, inDocument(planOf(toFolder(folder.in('one'))), 'r1')))
  writer.renew(older.id, planOf(toFolder(folder.in('two'))))
  writer.take(older.id, batch('a'), 0)
  await waitUntil('an event in the second folder', () => lines(folder, 'two').length === 1)
  const newer = opened(writer.open({}, inDocument(planOf(toFolder(folder.in('three'))), 'r2')))
  writer.take(newer.id, batch('b'), 0)
  writer.renew(older.id, planOf(toFolder(folder.in('four'))))
  writer.take(older.id, batch('c'), 0)
  await waitUntil('two events in the third folder', () => lines(folder, 'three').length === 2)
  assert.deepEqual(lines(folder, 'four'), [])
})

test('handlers log by the logger that was set last, under the name that their service has now', async () => {
  using folder = new Folder()
  const [startUp, configured] = [memoryLog(), memoryLog()]
  await using writing = open(startUp)
  const { writer } = writing
  const handler = toFolder(folder.in('trail'))
  const first = opened(writer.open({}, { ...planOf(handler, 'old'), document: { name: 'route', revision: '1' } }))
  const second = opened(writer.open({}, { ...planOf(handler, 'new'), document: { name: 'route', revision: '2' } }))
  writer.logTo(createLogger({ destination: configured }))
  // A folder in place of the file: no event can be written.
  mkdirSync(folder.in('trail/config.audit.json'), { recursive: true })
  writer.take(first.id, batch('a'), 0)
  await waitUntil('a log entry', () => configured.entries.length > 0)
  assert.equal(configured.entries[0]?.['logger'], 'old')
  writer.take(second.id, batch('b'), 0)
  rmdirSync(folder.in('trail/config.audit.json'))
  await waitUntil('events are delivered', () => lines(folder, 'trail').length === 2)
  await waitUntil('a second entry', () => configured.entries.length > 1)
  assert.equal(configured.entries.at(-1)?.['logger'], 'new')
  assert.deepEqual(startUp.entries, [])
})

/** A service whose handler writes to the folder `trail`, and keeps what it can not write in `spool`. */
function spooled(folder: Folder, { maxBytes = 1_048_576, memory = QUEUE.maxBytes } = {}) {
  const spool = folder.in('spool')
  mkdirSync(spool)
  const queue = { ...QUEUE, maxBytes: memory, spool: { directory: spool, maxBytes } }
  return { spool, plan: planOf({ ...toFolder(folder.in('trail')), queue }) }
}

test('the journals of a batch are removed when its events are delivered or stored', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const { plan, spool } = spooled(folder)
  const { id } = opened(writer.open({}, plan))
  const [target = assert.fail('no journal')] = journalTargets(plan)
  const journals = () => readdirSync(spool).filter((name) => name.endsWith('.journal'))
  for (const number of [1, 2]) writeFileSync(journalPath(target, id, number), 'events')

  writer.take(id, batch('a'), 0, 1)
  await waitUntil('the journal of the delivered batch is removed', () => journals().length === 1)
  assert.deepEqual(lines(folder, 'trail'), ['{"_id":"a"}'])
  assert.equal(existsSync(journalPath(target, id, 2)), true)
  // A destination that fails: the events go to the spool.
  renameSync(folder.in('trail'), folder.in('moved'))
  writeFileSync(folder.in('trail'), 'not a folder')
  writer.take(id, batch('b'), 0, 2)
  await waitUntil('the journal of the stored batch is removed', () => journals().length === 0)
  assert.equal(readdirSync(spool).filter((name) => name.endsWith('.spool')).length, 1)
})

test('the journals of events that were neither delivered nor stored are left to the next process', async () => {
  using folder = new Folder()
  const writing = open()
  writeFileSync(folder.in('trail'), 'not a folder')
  const { plan } = spooled(folder, { maxBytes: 1 })
  const { id } = opened(writing.writer.open({}, plan))
  const [target = assert.fail('no journal')] = journalTargets(plan)
  writeFileSync(journalPath(target, id, 1), 'events')
  writing.writer.take(id, batch('a'), 0, 1)
  await writing[Symbol.asyncDispose]()
  assert.equal(existsSync(journalPath(target, id, 1)), true)
})

test('events that find no room keep no journal', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  writeFileSync(folder.in('trail'), 'not a folder')
  const { plan, spool } = spooled(folder, { maxBytes: 1, memory: 2 * '{"_id":"10"}'.length })
  const { id } = opened(writer.open({}, plan))
  const [target = assert.fail('no journal')] = journalTargets(plan)
  for (let number = 1; number <= 20; number++) {
    writeFileSync(journalPath(target, id, number), 'events')
    writer.take(id, batch(`${number}`), 0, number)
  }
  const journals = () => readdirSync(spool).filter((name) => name.endsWith('.journal')).length
  await waitUntil('the journals of the events in memory', () => journals() === 2)
})

test('the events that a unit had not sent when it ended are taken from its journal', async () => {
  using folder = new Folder()
  await using writing = open()
  const { writer } = writing
  const { plan, spool } = spooled(folder)
  const [unit, other] = [{}, {}]
  const { id, journals } = opened(writer.open(unit, plan))
  opened(writer.open(other, plan))
  const builder = new BatchBuilder()
  const targets = journalTargets(plan)
  const gate = new JournalGate(journals, id)
  const journal = new JournalWriter({ targets, service: id, gate, clock: systemClock, onFault: assert.fail })
  const record = (event: string) => {
    builder.add({ topic: 'config', id: event, time: Date.now(), texts: [JSON.stringify({ _id: event })] })
    journal.append(builder.takeGroup() ?? assert.fail('no group'))
  }
  record('sent')
  writer.take(id, builder.build(), 0, journal.endBatch())
  record('unsent')
  writer.closeAll(unit)
  await waitUntil('both events', () => lines(folder, 'trail').length === 2)
  assert.deepEqual(lines(folder, 'trail'), ['{"_id":"sent"}', '{"_id":"unsent"}'])
  await waitUntil('no journal', () => !readdirSync(spool).some((name) => name.endsWith('.journal')))
})

test('a journal that can not be written is logged with its service', async () => {
  using folder = new Folder()
  const log = memoryLog()
  await using writing = open(log)
  const { id } = opened(writing.writer.open({}, planOf(toFolder(folder.in('trail')))))
  writing.writer.journalFailed(id, 'no space left on device')
  const [entry] = log.entries.filter(({ code }) => code === 'GW_CONTROL_AUDIT_JOURNAL_FAILED')
  assert.deepEqual([entry?.['service'], entry?.['problem']], ['gateway+AuditService', 'no space left on device'])
})

test('handlers of one folder pass their own events to the next process', async () => {
  using folder = new Folder()
  await using older = open()
  await using newer = open()
  const json = toFolder(folder.in('trail'))
  const transport = { ...json.transport, extension: '.csv' } as HandlerPlan['transport']
  const plan: AuditPlan = { ...planOf(json), handlers: [json, { ...json, name: 'csv', position: 1, transport }] }
  const { id } = opened(older.writer.open({}, plan))
  opened(newer.writer.open({}, plan))
  await older.writer.handOver(async (files, records) => newer.writer.takeRecords(files, records))
  older.writer.take(id, batch('a', 'b'), 0)
  const csv = folder.in('trail/config.csv')
  await waitUntil('the events are in both files', () => {
    return lines(folder, 'trail').length >= 2 && existsSync(csv) && readFileSync(csv, 'utf8').split('\n').length >= 3
  })
  assert.equal(lines(folder, 'trail').length, 2)
  assert.equal(newer.writer.takeRecords(folder.in('elsewhere'), []), false)
})
