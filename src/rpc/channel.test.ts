import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { MessageChannel, Worker } from 'node:worker_threads'
import { Channel } from './channel.ts'
import { call, type Handlers, notice } from './protocol.ts'

const CALLS = {
  double: call<number, number>(1_000),
  wait: call<{ readonly milliseconds: number }, string>(1_000),
  fail: call<void, void>(1_000),
  strange: call<void, unknown>(1_000),
  note: notice<string>(),
}

const NOTHING = {}

/** Two ends of a channel; the far one has the handlers. */
function pair(handlers: Partial<Handlers<typeof CALLS>> = {}) {
  const { port1, port2 } = new MessageChannel()
  const faults: string[] = []
  const near = new Channel<typeof CALLS, typeof NOTHING>(port1, {
    peer: 'far',
    remote: CALLS,
    handlers: {},
    onFault: (error) => void faults.push(error.message),
  })
  const far = new Channel<typeof NOTHING, typeof CALLS>(port2, {
    peer: 'near',
    remote: NOTHING,
    handlers: {
      double: (number) => number * 2,
      wait: () => new Promise(() => {}),
      fail: () => Promise.reject(Object.assign(new Error('it went wrong'), { code: 'E_WRONG' })),
      strange: () => () => {},
      note: () => {},
      ...handlers,
    },
    onFault: (error) => void faults.push(error.message),
  })
  const close = () => {
    port1.close()
    port2.close()
  }
  return { near, far, faults, port1, port2, [Symbol.dispose]: close }
}

test('a call gets the answer of its handler, many at a time', async () => {
  using ends = pair()
  const answers = await Promise.all([1, 2, 3].map((number) => ends.near.remote.double(number)))
  assert.deepEqual(answers, [2, 4, 6])
})

test('a handler that fails rejects the call with its message and code, and ends nothing', async () => {
  using ends = pair()
  await assert.rejects(ends.near.remote.fail(), { name: 'RemoteError', message: 'it went wrong', code: 'E_WRONG' })
  await assert.rejects(ends.near.remote.strange(), /could not be cloned/)
  assert.equal(await ends.near.remote.double(2), 4)
})

test('a notice has no answer; a fault of its handler is reported where it happened', async () => {
  const noted: string[] = []
  using ends = pair({
    note: (text) => {
      noted.push(text)
      throw new Error('not this one')
    },
  })
  ends.near.remote.note('one')
  assert.equal(await ends.near.remote.double(1), 2)
  assert.deepEqual([noted, ends.faults], [['one'], ['not this one']])
})

test('a call without an answer ends with its deadline, and the signal of the handler aborts', async () => {
  const cancelled = Promise.withResolvers<void>()
  using ends = pair({
    wait: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => cancelled.resolve())
      }),
  })
  const waiting = ends.near.remote.wait({ milliseconds: 1 }, { timeout: 10 })
  await assert.rejects(waiting, { name: 'CallTimeoutError', message: 'far did not answer wait within 10 ms' })
  await cancelled.promise
})

/** Makes a call, then keeps this thread from doing anything until its deadline is over. Timers are what runs next. */
async function callAndStall<T>(call: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve))
  const answer = call()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  return answer
}

test('an answer that arrived while the caller was stalled beyond the deadline counts', async () => {
  const answering = `
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ([, id, , argument]) => parentPort.postMessage([2, id, argument * 2]))
    parentPort.postMessage('started')`
  await using worker = new Worker(answering, { eval: true })
  await once(worker, 'message')
  const { remote } = new Channel<typeof CALLS, typeof NOTHING>(worker, {
    peer: 'far',
    remote: CALLS,
    handlers: {},
    onFault: assert.fail,
  })
  assert.equal(await callAndStall(() => remote.double(2, { timeout: 50 })), 4)
})

test('after a stall of the whole process the other side has another second for its answer', async () => {
  using ends = pair()
  const { double, wait } = ends.near.remote
  assert.equal(await callAndStall(() => double(2, { timeout: 50 })), 4)
  const never = callAndStall(() => wait({ milliseconds: 0 }, { timeout: 50 }))
  await assert.rejects(never, { name: 'CallTimeoutError' })
})

test('the caller may end a call, before it is sent and after', async () => {
  using ends = pair()
  const controller = new AbortController()
  const waiting = ends.near.remote.wait({ milliseconds: 1 }, { signal: controller.signal })
  controller.abort(new Error('no longer wanted'))
  await assert.rejects(waiting, /no longer wanted/)
  await assert.rejects(ends.near.remote.double(1, { signal: controller.signal }), /no longer wanted/)
})

test('an answer that comes too late is dropped', async () => {
  const late = Promise.withResolvers<string>()
  using ends = pair({ wait: () => late.promise })
  await assert.rejects(ends.near.remote.wait({ milliseconds: 1 }, { timeout: 5 }))
  late.resolve('too late')
  assert.equal(await ends.near.remote.double(1), 2)
})

test('closing rejects the calls that wait, and all later ones', async () => {
  using ends = pair()
  const waiting = ends.near.remote.wait({ milliseconds: 1 })
  ends.near.close()
  await assert.rejects(waiting, { name: 'PeerEndedError', message: 'far ended before it answered wait' })
  await assert.rejects(ends.near.remote.double(1), { name: 'PeerEndedError' })
  ends.near.remote.note('nothing hears this')
})

test('a peer that reads nothing gets a bounded number of calls, also when each of them has timed out', async () => {
  const { port1, port2 } = new MessageChannel()
  const near = new Channel<typeof CALLS, typeof NOTHING>(port1, {
    peer: 'far',
    remote: CALLS,
    handlers: {},
    onFault: () => {},
  })
  const calls = Array.from({ length: 12_000 }, () => near.remote.double(1, { timeout: 1 }))
  const reasons = (await Promise.allSettled(calls)).map((each) => (each as PromiseRejectedResult).reason.name)
  assert.equal(reasons.filter((name) => name === 'CallTimeoutError').length, 10_000)
  assert.equal(reasons.filter((name) => name === 'PeerBusyError').length, 2_000)
  await assert.rejects(near.remote.double(1), { name: 'PeerBusyError' })
  port1.close()
  port2.close()
})

test('handlers that never answer use up no calls of a peer that reads', async () => {
  using ends = pair()
  for (let round = 0; round < 3; round++) {
    const calls = Array.from({ length: 5_000 }, () => ends.near.remote.wait({ milliseconds: 1 }, { timeout: 1 }))
    await Promise.allSettled(calls)
    assert.equal(await ends.near.remote.double(1), 2)
  }
})

test('a message outside the protocol is a fault and no more', async () => {
  using ends = pair()
  ends.port1.postMessage([0, 1, 'constructor', null])
  const [frame] = (await once(ends.port1, 'message')) as [unknown]
  assert.deepEqual(frame, [3, 1, 'there is no handler of constructor', undefined])
  ends.port1.postMessage(['nonsense'])
  assert.equal(await ends.near.remote.double(1), 2)
  assert.deepEqual(ends.faults, ['near sent a message outside the protocol'])
})

test('a ping is answered whatever the handlers do', async () => {
  using ends = pair()
  void ends.near.remote.wait({ milliseconds: 1 }).catch(() => {})
  const answered = new Promise<void>((resolve) => {
    ends.near.onPong = resolve
  })
  ends.near.ping()
  await answered
})
