// The connection between two gateways breaks at each step of a hand-over, on either side.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { HEARTBEAT } from '#rpc'
import { Folder } from '#test/folder'
import { HandingOver, unitOf } from '#test/handing-over'
import { once, waitUntil, within } from '#test/waiting'
import { handoverPath, TakeOverError } from './handover-socket.ts'
import { Predecessor } from './predecessor.ts'

const heartbeat = { ...HEARTBEAT, interval: 100, lost: 5 }
const LIMITS = { begin: 1_000, freeze: 1_000, take: 500, heartbeat }

/** One end of a connection that is written by hand. It answers pings until it stalls. */
class Peer {
  readonly socket: Socket
  readonly received: unknown[][] = []
  isStalled = false
  #rest = ''

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.setEncoding('utf8').on('data', (text) => {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop() as string
      for (const line of lines) this.#take(JSON.parse(line))
    })
  }

  #take(frame: unknown[]): void {
    if (frame[0] !== 5) this.received.push(frame)
    else if (!this.isStalled) this.send([6])
  }

  send(...frames: unknown[][]): void {
    this.socket.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''))
  }

  async frame(what: string, isIt: (frame: unknown[]) => boolean): Promise<unknown[]> {
    await waitUntil(what, () => this.received.some(isIt))
    return this.received.find(isIt) as unknown[]
  }

  /** Calls, and returns the answer. */
  async ask(id: number, name: string, argument: unknown = null): Promise<unknown> {
    this.send([0, id, name, argument])
    return (await this.frame(`${name} is answered`, ([kind, of]) => kind === 2 && of === id))[2]
  }
}

/** Higher than any process id. */
const NO_PROCESS = 2 ** 22 + 1
const BEGIN = { protocol: 2, pid: 1, version: '1' }
const CALL = ['storeGetAndDelete', { space: 'sessions', key: 'none' }]

/** How a peer breaks the connection; `firstAnswer`: the first call that it answers before it was made. */
const BREAKS: Readonly<Record<string, (peer: Peer, firstAnswer: number) => void>> = {
  closes: ({ socket }) => void socket.destroy(),
  stalls: (peer) => {
    peer.isStalled = true
  },
  'sends one byte': (peer) => {
    peer.isStalled = true
    peer.socket.write('[')
  },
  'sends everything at once': (peer, firstAnswer) => {
    const calls = ['begin', 'copy', 'copy', 'switch', 'switch', 'take', 'auditRecords', 'other']
    peer.send(
      ...calls.map((name, at) => [0, 100 + at, name, name === 'begin' ? BEGIN : {}]),
      ...Array.from({ length: 50 }, (_, at) => [2, firstAnswer + at, null]),
      [1, 'asked', { number: 1, call: CALL }],
      [1, 'executed', { number: 99, call: CALL }],
      [1, 'records', []],
      [99],
    )
  },
}

describe('a process that takes over, and breaks the connection', { concurrency: 8, timeout: 60_000 }, () => {
  /** What is done before the connection is broken; each step follows those before it. */
  const STEPS: readonly (readonly [string, (peer: Peer, old: HandingOver) => Promise<unknown>])[] = [
    ['connected', async ({ socket }) => once(socket, 'connect')],
    ['begun', (peer) => peer.ask(1, 'begin', BEGIN)],
    ['got some records', (peer) => peer.ask(2, 'copy')],
    ['got all records', (peer) => peer.ask(3, 'copy')],
    [
      'waits for the switch',
      async (peer, old) => {
        old.freezing = () => waitUntil('it is over', () => old.successors === null || peer.socket.destroyed)
        peer.send([0, 4, 'switch', null])
        await waitUntil('files are closed', () => old.steps.includes('freeze'))
      },
    ],
    [
      'is to take over',
      async (peer, old) => {
        old.freezing = async () => {}
        peer.send([0, 4, 'switch', null])
        await peer.frame('it is to take over', ([kind, , name]) => kind === 0 && name === 'take')
      },
    ],
  ]
  for (const [last, [step]] of STEPS.entries()) {
    for (const [name, breakIt] of Object.entries(BREAKS)) {
      test(`${step}, ${name}: the other goes on`, async () => {
        using folder = new Folder()
        const path = handoverPath(folder.path)
        using old = await HandingOver.listen(path, LIMITS)
        const unit = unitOf(old.store)
        for (let count = 0; count < 3; count++) await unit.set(`s${count}`, { count, text: 'x'.repeat(40_000) })
        const peer = new Peer(connect(path))
        const isToTake = last === STEPS.length - 1
        for (const [at, [, advance]] of STEPS.entries())
          if (at <= last && !(isToTake && at === last - 1)) await advance(peer, old)
        breakIt(peer, 1)
        // Calls are answered, at the latest when the limit for taking over has passed.
        const claims = await within(
          'they are answered',
          Promise.all([unit.claim('s0'), unit.claim('s0'), unit.get('s2')]),
        )
        assert.deepEqual([claims[0]?.['count'], claims[1], claims[2]?.['count']], [0, null, 2])
        // What a process has asked for is done at most once.
        await waitUntil('the connection is closed', () => peer.socket.destroyed)
        await waitUntil('another can take over', async () => {
          const found = await Predecessor.find(path, '2', heartbeat).catch(() => null)
          if (found === null) return false
          await found.copy(() => false)
          assert.equal((await unitOf(found.store).get('s2'))?.['count'], 2)
          found.close()
          return true
        })
        assert.ok(!old.steps.includes('leave'))
        assert.deepEqual(
          old.steps.filter((each) => each === 'freeze').length,
          old.steps.filter((each) => each === 'resume').length,
        )
        assert.equal(await unit.claim('s0'), null)
        assert.deepEqual(readdirSync(folder.path), ['take-over.sock'])
      })
    }
  }
})

describe('a process that is taken over, and breaks the connection', { concurrency: 8, timeout: 60_000 }, () => {
  /** What it answers before. */
  const RECORD = { id: 'sessions\0s1', fields: { a: 1 }, lifetime: 60_000, isUsed: true }
  const ANSWERS: readonly (readonly [string, (peer: Peer) => Promise<void>])[] = [
    ['accepted', async () => {}],
    ['has begun', answers('begin', { pid: NO_PROCESS, version: '1' })],
    ['has sent some records', answers('copy', false, [1, 'records', [RECORD]])],
    ['has sent all records', answers('copy', true)],
    ['was asked for the switch', async (peer) => void (await asked(peer, 'switch'))],
  ]

  for (const [last, [step]] of ANSWERS.entries()) {
    for (const [name, breakIt] of Object.entries(BREAKS)) {
      for (const ends of [true, false]) {
        test(`${step}, ${name}, and ${ends ? 'ends' : 'goes on'}`, async () => {
          using folder = new Folder()
          const path = handoverPath(folder.path)
          const sockets: Socket[] = []
          const server = createServer((socket) => void sockets.push(socket)).listen(path)
          await once(server, 'listening')
          const taking = (async () => {
            const found = (await Predecessor.find(path, '1', heartbeat)) as Predecessor
            await found.copy(() => true)
            const got = unitOf(found.store).claim('s1')
            got.catch(() => {})
            await found.switch()
            return got
          })()
          const outcome = taking.then(
            () => 'alone',
            (error: unknown) => (error instanceof TakeOverError ? 'refused' : String(error)),
          )
          await waitUntil('it is connected', () => sockets.length === 1)
          const peer = new Peer(sockets[0] as Socket)
          for (const [, answer] of ANSWERS.slice(0, last + 1)) await answer(peer)
          if (ends) server.close()
          // It has answered those before.
          breakIt(peer, last + 2)
          // Without an answer to its first call it changes nothing, and is started again.
          assert.equal(await within('it ends', outcome), ends && last > 0 ? 'alone' : 'refused')
          for (const socket of sockets) socket.destroy()
          server.close()
          if (ends && last > 1) assert.deepEqual(await taking, { a: 1 })
        })
      }
    }
  }
})

/** Waits for a call. */
async function asked(peer: Peer, name: string): Promise<number> {
  const frame = await peer.frame(`${name} is called`, ([kind, , of]) => kind === 0 && of === name)
  peer.received.splice(peer.received.indexOf(frame), 1)
  return frame[1] as number
}

/** Answers a call, after other messages. */
function answers(name: string, answer: unknown, ...before: unknown[][]): (peer: Peer) => Promise<void> {
  return async (peer) => {
    const id = await asked(peer, name)
    peer.send(...before, [2, id, answer])
  }
}
