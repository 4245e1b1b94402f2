import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel, Worker } from 'node:worker_threads'
import { once, within } from '#test/waiting'
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

test('concurrent calls get the answers of their handlers', async () => {
  using ends = pair()
  const answers = await Promise.all([1, 2, 3].map((number) => ends.near.remote.double(number)))
  assert.deepEqual(answers, [2, 4, 6])
})

test('a handler that throws rejects the call with its message and code; the channel stays open', async () => {
  using ends = pair()
  await assert.rejects(ends.near.remote.fail(), { name: 'RemoteError', message: 'it went wrong', code: 'E_WRONG' })
  await assert.rejects(ends.near.remote.strange(), /could not be cloned/)
  assert.equal(await ends.near.remote.double(2), 4)
})

test('a notice has no answer; an error of its handler is reported on the receiving side', async () => {
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

test('a call without an answer times out, and the signal of its handler aborts', async () => {
  const cancelled = Promise.withResolvers<void>()
  using ends = pair({
    wait: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => cancelled.resolve())
      }),
  })
  const waiting = ends.near.remote.wait({ milliseconds: 1 }, { timeout: 10 })
  await assert.rejects(waiting, { name: 'CallTimeoutError', message: 'far did not answer wait within 10 ms' })
  await within('the cancellation arrived', cancelled.promise)
})

/** Makes a call, then blocks this thread beyond its deadline. Timers run next. */
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

test('a call can be cancelled before and after it is sent', async () => {
  using ends = pair()
  const controller = new AbortController()
  const waiting = ends.near.remote.wait({ milliseconds: 1 }, { signal: controller.signal })
  controller.abort(new Error('no longer wanted'))
  await assert.rejects(waiting, /no longer wanted/)
  await assert.rejects(ends.near.remote.double(1, { signal: controller.signal }), /no longer wanted/)
})

test('a late answer is dropped', async () => {
  const late = Promise.withResolvers<string>()
  using ends = pair({ wait: () => late.promise })
  await assert.rejects(ends.near.remote.wait({ milliseconds: 1 }, { timeout: 5 }))
  late.resolve('too late')
  assert.equal(await ends.near.remote.double(1), 2)
})

test('close rejects pending and later calls', async () => {
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

test('calls that time out without an answer do not count against the limit of a peer that reads', async () => {
  using ends = pair()
  for (let round = 0; round < 3; round++) {
    const calls = Array.from({ length: 5_000 }, () => ends.near.remote.wait({ milliseconds: 1 }, { timeout: 1 }))
    await Promise.allSettled(calls)
    assert.equal(await ends.near.remote.double(1), 2)
  }
})

test('a message outside the protocol is reported as a fault; the channel stays open', async () => {
  using ends = pair()
  ends.port1.postMessage([0, 1, 'constructor', null])
  const [frame] = (await once(ends.port1, 'message')) as [unknown]
  assert.deepEqual(frame, [3, 1, 'no handler for constructor', undefined])
  ends.port1.postMessage(['nonsense'])
  assert.equal(await ends.near.remote.double(1), 2)
  assert.deepEqual(ends.faults, ['near sent a message outside the protocol'])
})

test('a ping is answered while handlers are pending', async () => {
  using ends = pair()
  void ends.near.remote.wait({ milliseconds: 1 }).catch(() => {})
  const answered = new Promise<void>((resolve) => {
    ends.near.onPong = resolve
  })
  ends.near.ping()
  await within('the pong arrived', answered)
})
