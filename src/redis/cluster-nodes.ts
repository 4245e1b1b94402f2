import { type Cluster, Command, type Redis } from 'ioredis'
import type { RedisArgument } from './redis-script.ts'
import { withResponseTimeout } from './response-timeout.ts'
import { ALL_NODES, type ServerStates } from './servers.ts'

/** Milliseconds between two looks for lost nodes. */
const LOOK_INTERVAL = 1_000

/** The node of a cluster that serves a key, as far as the client knows. */
export function nodeFor(cluster: Cluster, key: RedisArgument | undefined): string {
  if (key === undefined) return ALL_NODES
  const slot = new Command('get', [`${cluster.options.keyPrefix ?? ''}${key}`]).getSlot()
  return cluster.slots[slot]?.[0] ?? ALL_NODES
}

/** What watching a cluster needs. */
interface WatchedCluster {
  readonly servers: ServerStates
  /** Milliseconds an answer is waited for. */
  readonly timeout: number
  /** Whether it is still this client that is used. */
  isCurrent(): boolean
}

/** Keeps account of nodes by what happens to their connections, and looks for lost ones until they are found. */
export function watchNodes(cluster: Cluster, watch: WatchedCluster): void {
  const { servers, isCurrent } = watch
  cluster.on('+node', (node: Redis) => {
    const name = nameOf(node)
    // A connection closed by the client itself is no sign of the node's state.
    const counts = () => isCurrent() && cluster.nodes().includes(node)
    node.on('ready', () => counts() && findAgain(node, watch))
    node.on('error', ({ message }: Error) => counts() && servers.of(name).failed(message))
    node.on('close', () => counts() && servers.of(name).failed('the connection was closed'))
    if (cluster.status === 'ready') connect(node)
  })
  cluster.on('refresh', () => isCurrent() && keepNodes(cluster, servers))
  const timer = setInterval(() => {
    if (!isCurrent()) clearInterval(timer)
    else if (cluster.status === 'ready') lookForLost(cluster, watch)
  }, LOOK_INTERVAL).unref()
}

/** Whether there is a connection to a node. */
export function isConnected(cluster: Cluster, name: string): boolean {
  return name === ALL_NODES || cluster.nodes().some((node) => nameOf(node) === name && node.status === 'ready')
}

/** Refreshes the slots: after a failover the client does not do so by itself. Connects to nodes that are back. */
function lookForLost(cluster: Cluster, watch: WatchedCluster): void {
  if (!watch.servers.hasLostNode) return
  cluster.refreshSlotsCache()
  for (const node of cluster.nodes()) if (node.status === 'ready') void findAgain(node, watch)
}

/** Waits until the connections to all nodes have been made or refused. */
export async function nodesConnected(cluster: Cluster): Promise<void> {
  const pending = cluster.nodes().filter(({ options, status }) => !options.readOnly && status !== 'ready')
  await Promise.all(pending.map((node) => new Promise((done) => node.once('ready', done).once('close', done))))
}

/** A node has recovered when it answers in time and reports that it serves: one just started does not do so yet. */
async function findAgain(node: Redis, { servers, timeout, isCurrent }: WatchedCluster): Promise<void> {
  const name = nameOf(node)
  if (!servers.isLost(name)) return
  const info = await withResponseTimeout(node.cluster('INFO'), timeout).catch(() => '')
  if (isCurrent() && info.includes('cluster_state:ok') && servers.isLost(name)) servers.of(name).succeeded()
}

/** Forgets nodes that are no more, and connects to new ones and those that were lost. */
function keepNodes(cluster: Cluster, servers: ServerStates): void {
  servers.keep(new Set(cluster.nodes().map(nameOf)))
  for (const node of cluster.nodes()) connect(node)
}

/** Connects to all primaries, so that the first command does not wait; replicas are not used. */
function connect(node: Redis): void {
  if (node.status === 'wait' && !node.options.readOnly) node.connect().catch(() => {})
}

function nameOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`
}
