import assert from 'node:assert/strict'
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { CONNECTOR, HandingOver, unitOf } from '#test/handing-over'
import { once, waitUntil, within } from '#test/waiting'
import { handoverPath, TakeOverError } from './handover-socket.ts'
import { Predecessor, portsOf } from './predecessor.ts'

test('records are copied, and the other process executes the calls of both until the switch, this one afterwards', async () => {
  using folder = new Folder()
  using old = await HandingOver.listen(handoverPath(folder.path))
  const unit = unitOf(old.store)
  for (let count = 0; count < 3; count++) await unit.set(`s${count}`, { count, text: 'x'.repeat(700_000) })
  await unit.first('key', { a: 1 }, Number.POSITIVE_INFINITY)
  const found = await Predecessor.find(handoverPath(folder.path), '1.1.0')
  assert.equal(found?.running.version, '1.0.0')
  const events: unknown[] = []
  await found.copy((file, records) => {
    events.push(file, ...records)
    return file === 'open'
  })
  const own = unitOf(found.store)
  const both = async () => {
    assert.deepEqual([(await own.get('s1'))?.['count'], (await unit.get('s1'))?.['count']], [1, 1])
    assert.deepEqual(await own.first('key', { a: 2 }), { a: 1 })
    await unit.change('s1', { count: 5 })
    assert.equal((await own.get('s1'))?.['count'], 5)
    await own.change('s1', { count: 1 })
    assert.equal((await unit.get('s1'))?.['count'], 1)
    const claims = await Promise.all([unit.claim('s2'), own.claim('s2'), unit.claim('s2')])
    assert.equal(claims.filter((claim) => claim !== null).length, 1)
    await own.set('s2', { count: 2 })
  }
  await both()
  assert.deepEqual(old.steps, [])
  await found.switch()
  assert.deepEqual(old.steps, ['freeze', 'leave'])
  assert.deepEqual(await within('it was taken over', old.successors.taken), { pid: process.pid })
  await found.filesReleased
  await both()
  const record = { topic: 'access', id: '1', text: '{}', time: 1 }
  assert.deepEqual([await old.pass?.('open', [record]), await old.pass?.('other', [])], [true, false])
  assert.deepEqual(events, ['open', record, 'other'])
  found.close()
  // What the other has done since is not known here.
  await waitUntil('it is noticed', () =>
    unit.get('s1').then(
      () => false,
      (error: Error) => /can not be reached/.test(error.message),
    ),
  )
  assert.deepEqual(readdirSync(folder.path), [])
})

test('a process that ends while it takes over changes nothing, and another can take over', async () => {
  using folder = new Folder()
  using old = await HandingOver.listen(handoverPath(folder.path))
  const first = await Predecessor.find(handoverPath(folder.path), '1.1.0')
  await assert.rejects(
    Predecessor.find(handoverPath(folder.path), '1.1.0'),
    /refuses: another process is taking over; it keeps serving/,
  )
  await first?.copy(() => false)
  first?.close()
  await waitUntil('it is noticed', () => old.log.lines.join().includes('this one keeps serving'))
  const unit = unitOf(old.store)
  await unit.set('a', { b: 1 })
  assert.deepEqual(await unit.get('a'), { b: 1 })
  const second = await Predecessor.find(handoverPath(folder.path), '1.1.0')
  assert.equal(second?.running.pid, process.pid)
  second?.close()
})

test('a process that stops, or can not close its files, refuses the switch and goes on', async () => {
  using folder = new Folder()
  const path = handoverPath(folder.path)
  using old = await HandingOver.listen(path, { freeze: 20 })
  const faults: [RegExp, () => Promise<void>][] = [
    [/can not close its files in time; it keeps serving/, () => new Promise(() => {})],
    [/the disk is gone; it keeps serving/, () => Promise.reject(new Error('the disk is gone'))],
    [
      /refuses: it is stopping; it keeps serving/,
      async () => {
        old.obstacle = 'it is stopping'
      },
    ],
  ]
  for (const [message, freezing] of faults) {
    const found = (await Predecessor.find(path, '1')) as Predecessor
    await found.copy(() => true)
    old.freezing = freezing
    const event = { topic: 'access', id: '1', text: '{}', time: 1 }
    await assert.rejects(
      found.switch(),
      (error: Error) => error instanceof TakeOverError && message.test(error.message),
    )
    await assert.rejects(found.filesReleased, /it keeps serving/)
    assert.equal(await old.pass?.('file', [event]), false)
    await unitOf(old.store).set('a', { b: 1 })
    await assert.rejects(unitOf(found.store).get('a'), /can not be reached/)
    assert.deepEqual(old.steps.splice(0), ['freeze', 'resume'])
    await waitUntil('another can begin', () => old.log.lines.at(-1)?.includes('this one keeps serving') === true)
  }
  assert.deepEqual(readdirSync(folder.path), ['take-over.sock'])
})

test('the socket is made again where it, or its folder, was deleted', async () => {
  using folder = new Folder()
  const path = handoverPath(join(folder.path, 'tmp'))
  using old = await HandingOver.listen(path, { look: 10 })
  for (const deleted of [path, dirname(path)]) {
    rmSync(deleted, { recursive: true })
    await waitUntil('the socket was made again', () => existsSync(path))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const found = await Predecessor.find(path, '1.1.0')
    assert.equal(found?.running.version, '1.0.0')
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
  // An offer of a switch.
  writeFileSync(`${path}.0123`, '')
  {
    using _ = await HandingOver.listen(path)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(folder.path), ['take-over.sock'])
    using other = await HandingOver.listen(path)
    assert.match(other.log.lines.join(), /another gateway of this instance runs/)
  }
  writeFileSync(path, '')
  await assert.rejects(Predecessor.find(path, '1'), /expected a Unix socket, found another file; remove it/)
  using unable = await HandingOver.listen(path)
  assert.match(unable.log.lines.join(), /no other process can take over/)
})

test('a gateway that stops, another protocol, and texts that are no messages are refused', async () => {
  using folder = new Folder()
  const path = handoverPath(folder.path)
  using old = await HandingOver.listen(path)
  old.obstacle = 'it is stopping'
  await assert.rejects(Predecessor.find(path, '1'), /the gateway that runs refuses: it is stopping; it keeps serving/)
  for (const [text, answer] of [
    ['[0,1,"begin",{"protocol":99,"pid":1,"version":"9"}]\n', /can not take over from each other/],
    ['[0,1,"switch",null]\n', /expected begin first/],
    ['[1,"asked",{"number":1,"call":["storeGet",{}]}]\n', /^$/],
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
  using _ = await HandingOver.listen(path)
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
