// A thread of hostile clients, so that their processor time is not measured with that of others.
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { within } from '../waiting.ts'
import { abortedDownloads, abortedStreams, abortedUploads } from './aborted-transfers.ts'
import type { Attack, Target } from './attack.ts'
import { connectionFloods } from './connection-floods.ts'
import { garbageRequests } from './garbage-requests.ts'
import { garbageResponses } from './garbage-upstream.ts'
import { http2Floods } from './http2-floods.ts'
import { jsonBodies } from './json-bodies.ts'
import { loops } from './loops.ts'
import { pipelining } from './pipelining.ts'
import { handshakeResets, resets } from './resets.ts'
import { scriptBodies } from './script-bodies.ts'
import { slowRequests, smallChunks } from './slow-requests.ts'
import { unreadResponses, unreadStreams } from './unread-responses.ts'

const ATTACKS: readonly Attack[] = [
  resets,
  handshakeResets,
  pipelining,
  slowRequests,
  smallChunks,
  connectionFloods,
  http2Floods,
  jsonBodies,
  abortedUploads,
  abortedDownloads,
  abortedStreams,
  unreadResponses,
  unreadStreams,
  garbageRequests,
  garbageResponses,
  loops,
  scriptBodies,
]

/** The names of all kinds. */
export const ATTACK_NAMES: readonly string[] = ATTACKS.map(({ name }) => name)

/** Pause between two turns of a client: without one, opening connections uses all processors of a small machine. */
const PAUSE = 100

/** Turns of one kind of attack, and how many of them failed on the client's side, by the first reason. */
export interface AttackCount {
  readonly name: string
  turns: number
  failed: number
  reason: string | null
}

/** Concurrent hostile clients of the named kinds. */
export class HostileClients implements AsyncDisposable {
  readonly #worker: Worker

  constructor(target: Target, names = ATTACK_NAMES) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { target, names }, name: 'hostile clients' })
  }

  /** Waits for the current turns, and returns the counts. */
  async stop(): Promise<readonly AttackCount[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly AttackCount[]>()
    this.#worker.once('message', resolve)
    this.#worker.once('error', reject)
    this.#worker.postMessage('stop')
    return within('the hostile clients stopped', promise, 120_000)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}

/** Data of the thread. */
interface WorkerSettings {
  readonly target: Target
  readonly names: readonly string[]
}

async function run({ target, names }: WorkerSettings, port: MessagePort): Promise<void> {
  const attacks = ATTACKS.filter(({ name }) => names.includes(name))
  let stopped = false
  port.once('message', () => {
    stopped = true
  })
  const client = async (attack: Attack, count: AttackCount): Promise<void> => {
    while (!stopped) {
      const round = count.turns++
      try {
        await attack.turn(target, round)
      } catch (error) {
        count.failed++
        count.reason ??= String(error)
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  }
  const counts = attacks.map(({ name }) => ({ name, turns: 0, failed: 0, reason: null }))
  const clients = attacks.flatMap((attack, at) =>
    Array.from({ length: attack.clients }, () => client(attack, counts[at] as AttackCount)),
  )
  await Promise.all(clients)
  port.postMessage(counts)
}

const settings = workerData as Partial<WorkerSettings> | null
if (settings?.target !== undefined && parentPort !== null) await run(settings as WorkerSettings, parentPort)
