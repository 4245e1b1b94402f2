import { filteredRoute } from './access-manager-heap.ts'
import type { AlternatingPair, AlternatingState } from './alternating.ts'
import { type GatewayOptions, startGateway } from './gateway-server.ts'
import { type LoadOptions, load } from './load.ts'
import type { Workspace } from './workspace.ts'

/** Options of a gateway, and the name of its row. */
export interface NamedOptions {
  readonly name: string
  readonly options: GatewayOptions
}

/** Starts two gateways with one route to the upstream: the usual one, and one with a setting that needs a restart. */
export async function startPair(
  workspace: Workspace,
  upstream: number,
  base: NamedOptions,
  other: NamedOptions,
): Promise<AlternatingPair & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const routes = new Map<string, unknown>([['route', filteredRoute('/route', upstream, [])]])
  const state = async ({ name, options }: NamedOptions, part: string): Promise<AlternatingState> => {
    const folder = `${other.name.replaceAll(/[^a-z0-9]+/g, '-')}-${part}`
    const { server, url } = await startGateway(workspace, folder, routes, options)
    starting.use(server)
    return { name, server, load: (run: LoadOptions) => load(`${url}/route`, run) }
  }
  const pair = { base: await state(base, 'base'), state: await state(other, 'setting') }
  const servers = starting.move()
  return { ...pair, [Symbol.asyncDispose]: () => servers.disposeAsync() }
}
