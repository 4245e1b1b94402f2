import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { createLogger, memoryLog } from '#logging'
import { systemClock } from '#schema'
import { Folder } from '#test/folder'
import { once, waitUntil, within } from '#test/waiting'
import { KeyValueStore } from '../key-value-store.ts'
import { handoverPath } from './handover-socket.ts'
import { OwnedStore } from './owned-store.ts'
import { Predecessor, portsOf } from './predecessor.ts'
import { Successors } from './successors.ts'

const CONNECTOR = { host: '127.0.0.1', ports: [8080], secure: false }

/** A gateway that can be taken over, without ports. */
async function running(path: string, obstacle: string | null = null, lookInterval?: number) {
  const log = memoryLog()
  const store = new OwnedStore(new KeyValueStore(systemClock))
  const handedOver: string[] = []
  const source = {
    store,
    obstacle,
    running: {
      pid: 1,
      version: '1.0.0',
      connectors: [CONNECTOR],
      adminHost: '127.0.0.1',
      adminPort: 8085,
      tickets: null,
      service: {},
    },
    handOver: async () => void handedOver.push('handed over'),
  }
  const options = lookInterval === undefined ? {} : { lookInterval }
  const successors = new Successors(source, createLogger({ destination: log }), options)
  await successors.listen(path)
  return { successors, store, log, handedOver, [Symbol.dispose]: () => successors[Symbol.dispose]() }
}

const context = { signal: new AbortController().signal }
const session = (key: string) => ({ space: 'sessions', key })

test('records are copied, and calls of the units of the other process are passed on until it ends', async () => {
  using folder = new Folder()
  using old = await running(handoverPath(folder.path))
  const units = old.store.handlers
  for (let count = 0; count < 3; count++) {
    const text = 'x'.repeat(700_000)
    await units.storeUpdate(
      { ...session(`s${count}`), change: { set: { count, text } }, lifetime: 60_000, ifPresent: false },
      context,
    )
  }
  await units.storeGetOrCreate({ ...session('key'), initial: { a: 1 }, lifetime: Number.POSITIVE_INFINITY }, context)
  const found = await Predecessor.find(handoverPath(folder.path), '1.1.0')
  assert.equal(found?.running.version, '1.0.0')
  const store = new OwnedStore(new KeyValueStore(systemClock))
  const events: unknown[] = []
  await found.copyTo({
    store,
    auditRecords: (file, records) => {
      events.push(file, ...records)
      return true
    },
  })
  const own = store.handlers
  assert.equal((await own.storeGet({ ...session('s1'), lifetime: null }, context))?.['count'], 1)
  assert.deepEqual({ ...(await own.storeGet({ ...session('key'), lifetime: null }, context)) }, { a: 1 })
  // A change by either is seen by both.
  await units.storeUpdate(
    { ...session('s1'), change: { set: { count: 5 } }, lifetime: 60_000, ifPresent: true },
    context,
  )
  assert.equal((await own.storeGet({ ...session('s1'), lifetime: null }, context))?.['count'], 5)
  await own.storeUpdate({ ...session('s1'), change: { set: { count: 6 } }, lifetime: 60_000, ifPresent: true }, context)
  assert.equal((await units.storeGet({ ...session('s1'), lifetime: null }, context))?.['count'], 6)
  assert.equal((await units.storeGetAndDelete(session('s2'), context))?.['count'], 2)
  assert.equal(await own.storeGet({ ...session('s2'), lifetime: null }, context), null)
  await found.ready()
  assert.deepEqual(old.handedOver, ['handed over'])
  assert.deepEqual(await within('it was taken over', old.successors.taken), { pid: process.pid })
  await found.filesReleased
  found.close()
})

test('a process that ends while it takes over changes nothing, and another can take over', async () => {
  using folder = new Folder()
  using old = await running(handoverPath(folder.path))
  const first = await Predecessor.find(handoverPath(folder.path), '1.1.0')
  await assert.rejects(
    Predecessor.find(handoverPath(folder.path), '1.1.0'),
    /refuses: another process is taking over; nothing/,
  )
  await first?.copyTo({ store: new OwnedStore(new KeyValueStore(systemClock)), auditRecords: () => false })
  first?.close()
  await waitUntil('it is noticed', () => old.log.lines.join().includes('this one keeps serving'))
  await old.store.handlers.storeUpdate(
    { ...session('a'), change: { set: { b: 1 } }, lifetime: 60_000, ifPresent: false },
    context,
  )
  assert.deepEqual({ ...(await old.store.handlers.storeGet({ ...session('a'), lifetime: null }, context)) }, { b: 1 })
  const second = await Predecessor.find(handoverPath(folder.path), '1.1.0')
  assert.equal(second?.running.pid, 1)
  second?.close()
})

test('the socket is made again where it, or its folder, was deleted', async () => {
  using folder = new Folder()
  const path = handoverPath(join(folder.path, 'tmp'))
  using old = await running(path, null, 10)
  for (const deleted of [path, dirname(path)]) {
    rmSync(deleted, { recursive: true })
    await waitUntil('the socket was made again', () => existsSync(path))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const found = await Predecessor.find(path, '1.1.0')
    assert.equal(found?.running.pid, 1)
    found?.close()
    await waitUntil('it is noticed', () => old.log.lines.at(-1)?.includes('this one keeps serving') === true)
  }
  old[Symbol.dispose]()
  await waitUntil('the socket is gone', () => !existsSync(path))
})

test('the socket belongs to its user alone; one that was left behind is replaced, another file is not', async () => {
  using folder = new Folder()
  const path = handoverPath(folder.path)
  assert.equal(await Predecessor.find(path, '1'), null)
  const left = createServer().listen(`${path}.open`)
  await once(left, 'listening')
  renameSync(`${path}.open`, path)
  left.close()
  assert.equal(await Predecessor.find(path, '1'), null)
  {
    using _ = await running(path)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    using other = await running(path)
    assert.match(other.log.lines.join(), /another gateway of this instance runs/)
  }
  writeFileSync(path, '')
  await assert.rejects(Predecessor.find(path, '1'), /expected a Unix socket, found another file; remove it/)
  using unable = await running(path)
  assert.match(unable.log.lines.join(), /no other process can take over/)
})

test('a gateway that stops, another protocol, and texts that are no messages are refused', async () => {
  using folder = new Folder()
  const path = handoverPath(folder.path)
  using _ = await running(path, 'it is stopping')
  await assert.rejects(
    Predecessor.find(path, '1'),
    /the gateway that runs refuses: it is stopping; nothing has changed/,
  )
  for (const [text, answer] of [
    ['[0,1,"begin",{"protocol":99,"pid":1,"version":"9"}]\n', /can not take over from each other/],
    ['[0,1,"ready",null]\n', /expected begin first/],
    ['[0,1,"other",null]\n', /no handler for other/],
    ['no JSON\n', /^$/],
    ['{}\n', /^$/],
    ['[99]\n', /^$/],
  ] as const) {
    const client = connect(path)
    let received = ''
    client.on('data', (data) => {
      received += data
      client.destroy()
    })
    client.write(text)
    await once(client, 'close')
    assert.match(received, answer)
  }
})

test('long paths are possible', { skip: process.platform === 'linux' ? false : 'on Linux' }, async () => {
  using folder = new Folder()
  folder.write(`${'x'.repeat(150)}/file`, '')
  const path = handoverPath(folder.in('x'.repeat(150)))
  using _ = await running(path)
  const found = await Predecessor.find(path, '1')
  assert.equal(found?.running.adminPort, 8085)
  found?.close()
})

test('only a gateway with the same addresses takes over; port 0 is that of the other', () => {
  const free = { ...CONNECTOR, ports: [0], gracePeriod: 1 }
  assert.deepEqual(portsOf([free], [CONNECTOR]), [{ ...free, ports: [8080] }])
  for (const other of [
    [],
    [{ ...CONNECTOR, ports: [81] }],
    [{ ...CONNECTOR, secure: true }],
    [{ ...CONNECTOR, host: '::' }],
  ])
    assert.throws(() => portsOf(other, [CONNECTOR]), /only a gateway with the same ones can take over/)
})
