// When the store has a release, and when instances report it, seen at every member.
import { setTimeout as pause } from 'node:timers/promises'
import type { EtcdClient } from '#etcd'
import { type EtcdMember, etcdClient } from '#test/etcd'

/** A report of an instance, or the time when it could not report. */
interface Report {
  readonly at: number
  readonly served: number
}

/** Watches the pointer and the records of instances at each member, so that the death of one hides nothing. */
export class StoreWatch implements AsyncDisposable {
  /** Milliseconds of `performance` when a release was first seen as the current one. */
  readonly releases = new Map<number, number>()
  readonly #reports = new Map<string, Report[]>()
  readonly #clients: EtcdClient[]
  readonly #prefix: string
  #isOver = false

  constructor(members: readonly EtcdMember[], prefix: string) {
    this.#prefix = prefix
    this.#clients = members.map((member) => etcdClient([member], { callTimeout: 3_000, watchCheckInterval: 2_000 }))
    for (const client of this.#clients) void this.#follow(client)
  }

  /** The highest number seen. */
  get newest(): number {
    return Math.max(0, ...this.releases.keys())
  }

  /** For releases from `from` on: milliseconds until an instance reported that or a later one, by instance. */
  lags(from: number, id: string): number[] {
    const reports = this.#reports.get(id) ?? []
    return [...this.releases].flatMap(([release, since]) => {
      if (release < from) return []
      const first = reports.find(({ served, at }) => served >= release && at >= since)
      return first === undefined ? [] : [first.at - since]
    })
  }

  /** Forgets everything, after the store was replaced. */
  reset(): void {
    this.releases.clear()
    this.#reports.clear()
  }

  async #follow(client: EtcdClient): Promise<void> {
    while (!this.#isOver) {
      try {
        const { revision } = await client.get(`${this.#prefix}/current`)
        await new Promise((resolve) =>
          client.watch(
            { prefix: `${this.#prefix}/`, from: revision + 1n },
            {
              events: (events) => {
                for (const { type, item } of events) if (type === 'put') this.#see(item.key, item.value)
              },
              progress: () => {},
              ended: resolve,
            },
          ),
        )
      } catch {
        // The member is killed, or has no majority.
      }
      await pause(50)
    }
  }

  #see(key: string, value: Buffer): void {
    const at = performance.now()
    const name = key.slice(this.#prefix.length + 1)
    if (name === 'current') {
      const { release } = JSON.parse(String(value)) as { release: number }
      if (!this.releases.has(release)) this.releases.set(release, at)
    } else if (name.startsWith('instances/')) {
      const { served } = JSON.parse(String(value)) as { served: number | null }
      const id = name.slice('instances/'.length)
      const reports = this.#reports.get(id) ?? []
      this.#reports.set(id, reports)
      if (served !== null) reports.push({ at, served })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    for (const client of this.#clients) await client[Symbol.asyncDispose]()
  }
}
