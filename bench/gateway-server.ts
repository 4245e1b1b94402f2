import { join } from 'node:path'
import { freePort, ServerProcess } from './server-process.ts'
import { root, type Workspace } from './workspace.ts'

/** Start-up limit; ten thousand routes should load within a fifth of it. */
const readyWithin = 120_000

export interface GatewayOptions {
  /** TLS options of the first port, and the heap of their objects. */
  readonly secure?: { readonly tls: string; readonly heap: readonly unknown[] }
  /** Further fields of all connectors. */
  readonly connector?: Readonly<Record<string, unknown>>
  /** The checkout of the gateway; by default this one. */
  readonly checkout?: string
  /** The command, where it is not that of a checkout. */
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Settings of the access log; off by default, as in the configurations of peers. */
  readonly accessLog?: object
  /** One by default. */
  readonly units?: number
  /** Further fields of admin.json. */
  readonly admin?: object
}

/** Runs the gateway with the given routes (id to content). */
export async function startGateway(
  workspace: Workspace,
  name: string,
  routes: ReadonlyMap<string, unknown>,
  {
    secure,
    connector = {},
    checkout = root,
    program = join(checkout, 'bin', 'gateway'),
    environment = {},
    accessLog = { destination: 'off' },
    units = 1,
    admin: fields = {},
  }: GatewayOptions = {},
): Promise<{ server: ServerProcess; url: string; plainUrl: string; adminUrl: string }> {
  const [port, adminPort, plainPort] = [await freePort(), await freePort(), await freePort()]
  const admin = {
    connectors: [
      { port, host: '127.0.0.1', ...connector, ...(secure !== undefined && { tls: secure.tls }) },
      { port: plainPort, host: '127.0.0.1', ...connector },
    ],
    heap: secure?.heap ?? [],
    adminConnector: { port: adminPort, host: '127.0.0.1' },
    gatewayUnits: units,
    // Unknown to older checkouts.
    ...(checkout === root && { accessLog }),
    ...fields,
  }
  workspace.write(`${name}/config/admin.json`, JSON.stringify(admin))
  for (const [id, route] of routes) workspace.write(`${name}/config/routes/${id}.json`, JSON.stringify(route))
  const server = await ServerProcess.start({
    name,
    command: [program, 'run', '--instance', join(workspace.path, name)],
    readyUrl: `http://127.0.0.1:${adminPort}/health/ready`,
    readyWithin,
    environment,
  })
  const at = (each: number) => `http://127.0.0.1:${each}`
  return { server, url: at(port), plainUrl: at(plainPort), adminUrl: at(adminPort) }
}
