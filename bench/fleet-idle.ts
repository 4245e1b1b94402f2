import { setTimeout as pause } from 'node:timers/promises'
import { EtcdClient } from '#etcd'
import type { ServerProcess } from './server-process.ts'

const HOUR = 3_600

/** Writes under another prefix until it is disposed; counts them. */
export class BusyPrefix implements AsyncDisposable {
  writes = 0
  readonly #client: EtcdClient
  readonly #done: Promise<void>
  #isOver = false

  constructor(url: string) {
    this.#client = new EtcdClient({ endpoints: [url], username: null, password: () => null, tls: null })
    this.#done = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const put = { put: { key: `/another/${this.writes % 1_000}`, value: Buffer.alloc(200, 'x') } }
      await this.#client.transact({ compare: [], success: [put] })
      this.writes++
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#done
    await this.#client[Symbol.asyncDispose]()
  }
}

/** CPU seconds of each server in an hour without requests, extrapolated from some seconds. */
export async function idleCpu(servers: readonly ServerProcess[], seconds: number): Promise<number[]> {
  const before = servers.map((server) => server.cpuSeconds())
  await pause(seconds * 1_000)
  return servers.map((server, at) => ((server.cpuSeconds() - before[at]!) * HOUR) / seconds)
}

/** CPU seconds in a second of an idle gateway with many routes, at most. */
const QUIET = 0.1
const QUIET_WITHIN = 30

/** Resolves when servers have done what a change left to do. */
export async function quiet(servers: readonly ServerProcess[]): Promise<void> {
  for (let waited = 0; waited < QUIET_WITHIN; waited++) {
    const used = await idleCpu(servers, 1)
    if (used.every((each) => each / HOUR <= QUIET)) return
  }
}
