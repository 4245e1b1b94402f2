import { freePort } from './nginx.ts'
import { RedisServer } from './redis.ts'

const SLOTS = 16_384
/** Milliseconds after which an unresponsive node is marked as failed. */
const NODE_TIMEOUT = 500

/** A real cluster of Redis nodes on loopback ports; slots are distributed evenly. */
export class RedisCluster implements AsyncDisposable {
  readonly primaries: readonly RedisServer[]
  readonly replicas: readonly RedisServer[]

  private constructor(primaries: readonly RedisServer[], replicas: readonly RedisServer[]) {
    this.primaries = primaries
    this.replicas = replicas
  }

  /** Starts primaries, and replicas of the first one, with further arguments for all. */
  static async start(size: { primaries: number; replicas?: number }, ...extra: string[]): Promise<RedisCluster> {
    const { primaries, replicas = 0 } = size
    const servers = await Promise.all(Array.from({ length: primaries + replicas }, () => startNode(extra)))
    const cluster = new RedisCluster(servers.slice(0, primaries), servers.slice(primaries))
    try {
      await cluster.#join()
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
    return cluster
  }

  get nodes(): readonly RedisServer[] {
    return [...this.primaries, ...this.replicas]
  }

  get urls(): string[] {
    return this.nodes.map(({ url }) => url)
  }

  /** Node ids in the cluster. */
  async idOf(node: RedisServer): Promise<string> {
    return node.ask('CLUSTER', 'MYID')
  }

  /** Waits until all nodes that run serve their slots. */
  async settled(nodes: readonly RedisServer[] = this.nodes): Promise<void> {
    await Promise.all(nodes.map((node) => node.answers('cluster_state:ok', 'CLUSTER', 'INFO')))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node[Symbol.asyncDispose]()))
  }

  async #join(): Promise<void> {
    const [first, ...others] = this.nodes as [RedisServer, ...RedisServer[]]
    const share = Math.ceil(SLOTS / this.primaries.length)
    await Promise.all(
      this.primaries.map((node, at) =>
        node.ask('CLUSTER', 'ADDSLOTSRANGE', at * share, Math.min((at + 1) * share, SLOTS) - 1),
      ),
    )
    const bus = /@(\d+)/.exec(await first.ask('CLUSTER', 'NODES'))?.[1] as string
    await Promise.all(others.map((node) => node.ask('CLUSTER', 'MEET', '127.0.0.1', first.port, bus)))
    const known = `cluster_known_nodes:${this.nodes.length}`
    await Promise.all(this.nodes.map((node) => node.answers(known, 'CLUSTER', 'INFO')))
    const primary = await this.idOf(first)
    await Promise.all(this.replicas.map((node) => node.answers('OK', 'CLUSTER', 'REPLICATE', primary)))
    await Promise.all(this.replicas.map((node) => node.answers('master_link_status:up', 'INFO', 'replication')))
    await this.settled()
  }
}

async function startNode(extra: readonly string[]): Promise<RedisServer> {
  return RedisServer.start(
    ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--cluster-port', `${await freePort()}`],
    ...['--cluster-node-timeout', `${NODE_TIMEOUT}`, '--cluster-require-full-coverage', 'no'],
    ...['--repl-diskless-sync-delay', '0', ...extra],
  )
}
