import { type Cluster, Command, type Redis } from 'ioredis'
import type { RedisArgument } from './redis-connection.ts'
import { type Servers, WHOLE } from './servers.ts'

/** The node of a cluster that serves a key, as far as the client knows. */
export function nodeFor(cluster: Cluster, key: RedisArgument | undefined): string {
  if (key === undefined) return WHOLE
  const slot = new Command('get', [`${cluster.options.keyPrefix ?? ''}${key}`]).getSlot()
  return cluster.slots[slot]?.[0] ?? WHOLE
}

/** Keeps account of nodes by what happens to their connections. */
export function watchNodes(cluster: Cluster, servers: Servers, isCurrent: () => boolean): void {
  cluster.on('+node', (node: Redis) => {
    const name = nameOf(node)
    // A connection that the client itself gives up says nothing about the node.
    const counts = () => isCurrent() && cluster.nodes().includes(node)
    node.on('ready', async () => {
      if (servers.isLost(name) && (await serves(node)) && counts()) servers.of(name).succeeded()
    })
    node.on('error', ({ message }: Error) => counts() && servers.of(name).failed(message))
    node.on('close', () => counts() && servers.of(name).failed('the connection was closed'))
    if (cluster.status === 'ready') connect(node)
  })
  cluster.on('ready', () => isCurrent() && keepNodes(cluster, servers))
}

/** Whether there is a connection to a node. */
export function isConnected(cluster: Cluster, name: string): boolean {
  return name === WHOLE || cluster.nodes().some((node) => nameOf(node) === name && node.status === 'ready')
}

/**
 * Asks which node serves what: after a failover, nobody else tells the client. Where none of the nodes answers that, it
 * begins anew with the addresses of the configuration, which may lead elsewhere by now.
 */
export function findNodesAnew(cluster: Cluster, servers: Servers): void {
  cluster.refreshSlotsCache((error) => {
    if (cluster.status !== 'ready') return
    if (!error) keepNodes(cluster, servers)
    else if (cluster.nodes().length > 0) cluster.disconnect(true)
  })
}

/** Waits until the connections to all nodes have been made or refused. */
export async function nodesConnected(cluster: Cluster): Promise<void> {
  const pending = cluster.nodes().filter(({ options, status }) => !options.readOnly && status !== 'ready')
  await Promise.all(pending.map((node) => new Promise((done) => node.once('ready', done).once('close', done))))
}

/** A node that has just been started answers before it serves anything. */
async function serves(node: Redis): Promise<boolean> {
  const info = await node.cluster('INFO').catch(() => '')
  return info.includes('cluster_state:ok')
}

/** Forgets nodes that are no more, and looks whether lost ones are back although nobody asks them anything. */
function keepNodes(cluster: Cluster, servers: Servers): void {
  servers.keep(new Set(cluster.nodes().map(nameOf)))
  for (const node of cluster.nodes()) connect(node)
}

/** Nobody should wait for a connection when the first command is sent; replicas are not asked. */
function connect(node: Redis): void {
  if (node.status === 'wait' && !node.options.readOnly) node.connect().catch(() => {})
}

function nameOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`
}
