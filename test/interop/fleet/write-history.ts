// Concurrent writes with If-Match over all gateways, and the releases that the store has afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '#json'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { type EtcdMember, etcdClient } from '#test/etcd'
import { pathRoute } from '#test/gateway'
import { ROUTES } from '#test/management'
import type { GatewayNode } from './gateway-node.ts'
import type { ReadEntry, StoredRelease, WriteEntry } from './linearizability.ts'
import { serves } from './peers.ts'

const REGISTERS = Array.from({ length: 12 }, (_, at) => `register-${at}`)

/** Creates the routes that are written; their first value is `0`. Resolves when all gateways have them. */
export async function createRegisters(gateways: readonly GatewayNode[]): Promise<void> {
  for (const register of REGISTERS) {
    const body = pathRoute(`/${register}`, '0')
    const { status, text } = await gateways[0]!.manage('PUT', `${ROUTES}/${register}`, { body })
    if (status !== 201) throw new Error(`${register}: ${status} ${text}`)
  }
  for (const gateway of gateways) {
    for (const register of REGISTERS) await serves(gateway, `/${register}`, '0')
  }
}

export function textOfRoute(route: JsonObject): string {
  const handler = route['handler'] as { config: { entity: string } } | undefined
  return String(handler?.config.entity)
}

/** Writers that read a register over one gateway, and change it over another with the revision that they read. */
export class Writers {
  readonly writes: WriteEntry[] = []
  readonly reads: ReadEntry[] = []
  /** Responses that a writer must not get. */
  readonly unexpected: string[] = []
  readonly #gateways: readonly GatewayNode[]
  #begun = 0

  constructor(gateways: readonly GatewayNode[]) {
    this.#gateways = gateways
  }

  /** Number of writes with an outcome. */
  count(outcome: WriteEntry['outcome']): number {
    return this.writes.filter((write) => write.outcome === outcome).length
  }

  /** Runs so many writes in all, with so many at a time. */
  async run(total: number, writers: number): Promise<void> {
    await Promise.all(
      Array.from({ length: writers }, async () => {
        while (this.#begun < total) await this.#write(this.#begun++)
      }),
    )
  }

  async #write(number: number): Promise<void> {
    const register = REGISTERS[Math.floor(Math.random() * REGISTERS.length)] as string
    const read = await this.#any().manage('GET', `${ROUTES}/${register}`)
    if (read.status !== 200) return void this.unexpected.push(`read: ${read.status} ${read.text}`)
    const expected = textOfRoute(read.json)
    this.reads.push({ register, value: expected, end: performance.now() })
    const [value, begin] = [`${number + 1}`, performance.now()]
    const outcome = await this.#any()
      .manage('PUT', `${ROUTES}/${register}`, {
        body: pathRoute(`/${register}`, value),
        headers: { 'If-Match': `"${read.json['_rev']}"` },
      })
      .then(
        ({ status, text }) => this.#outcome(status, text),
        () => 'unknown' as const,
      )
    this.writes.push({ register, expected, value, begin, end: performance.now(), outcome })
    if (outcome === 'refused') await pause(100)
  }

  #outcome(status: number, text: string): WriteEntry['outcome'] {
    if (status === 200) return 'done'
    if (status === 412) return 'failed'
    if (status === 503 && /nothing has changed/.test(text)) return 'refused'
    if (status !== 503 || !/outcome is unknown/.test(text)) this.unexpected.push(`write: ${status} ${text}`)
    return 'unknown'
  }

  #any(): GatewayNode {
    return this.#gateways[Math.floor(Math.random() * this.#gateways.length)] as GatewayNode
  }
}

/** The releases of the store from a number on, with the values of the registers. */
export async function storedReleases(
  members: readonly EtcdMember[],
  prefix: string,
  from: number,
): Promise<StoredRelease[]> {
  await using client = etcdClient(members)
  using releases = new EtcdReleases(client, { prefix, clock: systemClock })
  const found: StoredRelease[] = []
  const values = new Map<string, string>()
  const { pointer } = await releases.head()
  for (let number = from; number <= (pointer?.last ?? 0); number++) {
    const record = await releases.release(number)
    if (record === null) continue
    const tree = await releases.tree(record)
    const entries = [...tree].filter(([path]) => /\/register-\d+\.json$/.test(path))
    const unread = entries.map(([, entry]) => entry).filter(({ hash }) => !values.has(hash))
    for await (const { hash, data } of releases.contents(unread))
      values.set(hash, textOfRoute(JSON.parse(String(data))))
    const registers = entries.map(([path, { hash }]): [string, string] => [
      path.slice(path.lastIndexOf('/') + 1, -'.json'.length),
      values.get(hash) as string,
    ])
    found.push({ number, parent: record.parent, write: record.write, registers: new Map(registers) })
  }
  return found
}
