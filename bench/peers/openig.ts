import { join } from 'node:path'
import { findOpenIgJdk, isOpenIgBuilt, openIgArguments } from '../../test/interop/openig/openig-server.ts'
import type { Peer } from '../peer.ts'
import { ServerProcess } from '../server-process.ts'
import type { Workspace } from '../workspace.ts'

/** Requests after which the compilers of the JVM have settled. */
const WARM_UP = 100_000
const READY_WITHIN = 120_000

/** OpenIG in one process, with a route that has ClientHandler, as it knows no ReverseProxyHandler; a text with the reason if it has not been built. */
export async function startOpenIg(workspace: Workspace, port: number, route: unknown): Promise<Peer | string> {
  if (!isOpenIgBuilt()) return 'it is not built (npm run interop -- openig builds it)'
  const jdk = foundJdk()
  if (typeof jdk === 'string') return jdk
  workspace.write('openig/config/config.json', JSON.stringify({ handler: { type: 'Router' } }))
  workspace.write('openig/config/routes/bench.json', JSON.stringify(route))
  const folders = { instance: join(workspace.path, 'openig'), work: join(workspace.path, 'openig-tomcat') }
  const url = `http://127.0.0.1:${port}`
  const server = await ServerProcess.start({
    name: 'openig',
    command: [join(jdk.home, 'bin', 'java'), ...openIgArguments(port, folders)],
    readyUrl: `${url}/`,
    readyWithin: READY_WITHIN,
  })
  return { server, url, warmUp: WARM_UP }
}

function foundJdk(): { readonly home: string } | string {
  try {
    return { home: findOpenIgJdk() }
  } catch (error) {
    return (error as Error).message
  }
}
