import { type Cluster, Command, type Redis } from 'ioredis'
import type { RedisArgument } from './redis-script.ts'
import { withResponseTimeout } from './response-timeout.ts'
import { ALL_NODES, type ServerStates } from './servers.ts'

/** Milliseconds between two checks of lost nodes. */
const RECOVERY_INTERVAL = 1_000

/** The node that serves a key, by the client's slot cache. */
export function nodeFor(cluster: Cluster, key: RedisArgument | undefined): string {
  if (key === undefined) return ALL_NODES
  const slot = new Command('get', [`${cluster.options.keyPrefix ?? ''}${key}`]).getSlot()
  return cluster.slots[slot]?.[0] ?? ALL_NODES
}

interface WatchedCluster {
  readonly servers: ServerStates
  /** Milliseconds until a reply must arrive. */
  readonly timeout: number
  /** Whether this client is not closed: it is in use, or will be, or was. */
  isOpen(): boolean
  /** Whether this client is in use: only then it says something about the nodes. */
  isCurrent(): boolean
}

/** Tracks the availability of nodes by events of their connections, and checks lost ones until they recover. */
export function watchNodes(cluster: Cluster, watch: WatchedCluster): void {
  const { servers, isOpen, isCurrent } = watch
  cluster.on('+node', (node: Redis) => {
    const name = nameOf(node)
    // A connection that the client closed says nothing about the node.
    const counts = () => isCurrent() && cluster.nodes().includes(node)
    node.on('ready', () => counts() && checkRecovery(node, watch))
    node.on('error', ({ message }: Error) => counts() && servers.of(name).failed(message))
    node.on('close', () => counts() && servers.of(name).closed())
    if (cluster.status === 'ready') connect(node)
  })
  cluster.on('refresh', () => isOpen() && updateNodes(cluster, servers))
  const timer = setInterval(() => {
    if (!isOpen()) clearInterval(timer)
    else if (isCurrent() && cluster.status === 'ready') recoverLostNodes(cluster, watch)
  }, RECOVERY_INTERVAL).unref()
}

/** Whether there is a connection to a node. */
export function isConnected(cluster: Cluster, name: string): boolean {
  return name === ALL_NODES || cluster.nodes().some((node) => nameOf(node) === name && node.status === 'ready')
}

/** Refreshes the slot cache, which the client does not do after a failover, and checks connected nodes. */
function recoverLostNodes(cluster: Cluster, watch: WatchedCluster): void {
  if (!watch.servers.hasLostNode) return
  cluster.refreshSlotsCache()
  for (const node of cluster.nodes()) if (node.status === 'ready') void checkRecovery(node, watch)
}

/** Waits until the connections to all nodes have been made or refused. */
export async function nodesConnected(cluster: Cluster): Promise<void> {
  const pending = cluster.nodes().filter(({ options, status }) => !options.readOnly && status !== 'ready')
  await Promise.all(pending.map((node) => new Promise((done) => node.once('ready', done).once('close', done))))
}

/** A node has recovered when it replies in time with `cluster_state:ok`, which a node that is starting does not. */
async function checkRecovery(node: Redis, { servers, timeout, isCurrent }: WatchedCluster): Promise<void> {
  const name = nameOf(node)
  if (!servers.isLost(name)) return
  const info = await withResponseTimeout(node.cluster('INFO'), timeout).catch(() => '')
  if (isCurrent() && info.includes('cluster_state:ok') && servers.isLost(name)) servers.of(name).succeeded()
}

/** Drops nodes that have left the cluster, and connects to new and lost ones. */
function updateNodes(cluster: Cluster, servers: ServerStates): void {
  servers.retain(new Set(cluster.nodes().map(nameOf)))
  for (const node of cluster.nodes()) connect(node)
}

/** Connects to all primaries, so that the first command does not wait; replicas are not used. */
function connect(node: Redis): void {
  if (node.status === 'wait' && !node.options.readOnly) node.connect().catch(() => {})
}

function nameOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`
}
