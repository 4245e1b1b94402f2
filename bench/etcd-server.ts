import { join } from 'node:path'
import { installed } from './load.ts'
import { freePort, ServerProcess } from './server-process.ts'
import type { Workspace } from './workspace.ts'

/** Starts a cluster of one member of etcd, which writes to the disk of the workspace. */
export async function startEtcd(workspace: Workspace): Promise<{ server: ServerProcess; port: number; url: string }> {
  const program = installed('etcd')
  if (program === undefined) throw new Error('etcd is not installed (apt-get install etcd-server)')
  const [port, peerPort] = [await freePort(), await freePort()]
  const [url, peerUrl] = [port, peerPort].map((each) => `http://127.0.0.1:${each}`) as [string, string]
  const options = {
    name: 'one',
    'data-dir': join(workspace.path, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `one=${peerUrl}`,
    logger: 'zap',
    'log-level': 'error',
  }
  const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const server = await ServerProcess.start({
    name: 'etcd',
    command: [program, ...words],
    readyUrl: `${url}/health`,
    isUpstream: true,
  })
  return { server, port, url }
}
