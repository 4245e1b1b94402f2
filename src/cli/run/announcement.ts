import type { AdminSettings, Gateway } from '#control'
import type { Logger } from '#logging'
import type { ProcessContext } from '../process-context.ts'
import { aligned, counted, paintFor } from '../terminal.ts'
import { VERSION } from '../version.ts'

/** URLs of the traffic connectors, which terminals show as links. */
export function trafficUrls(
  { unit }: { readonly unit: Pick<AdminSettings['unit'], 'connectors'> },
  ports: readonly number[],
): string[] {
  const connectors = unit.connectors.flatMap((connector) => connector.ports.map(() => connector))
  return ports.map((port, at) => urlOf(connectors[at]?.host ?? 'localhost', port, connectors[at]?.secure ?? false))
}

/** The address of the management connector. */
export function adminUrl({ admin }: AdminSettings, port: number): string {
  return urlOf(admin.host, port, admin.secure)
}

/** The URL of a connector; localhost for an address that means all interfaces. */
export function urlOf(host: string, port: number, secure: boolean): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${secure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Announces the ready gateway and its URLs: readable lines on a terminal, a log entry elsewhere. */
export function announce(
  urls: { readonly traffic: readonly string[]; readonly admin: string },
  gateway: Gateway,
  { unit }: AdminSettings,
  logger: Logger,
  context: ProcessContext,
): void {
  const { stdout } = context
  const files = gateway.stores.all.flatMap(({ deployment }) => deployment.status())
  const failed = files.filter(({ state }) => state === 'failed').length
  const routes = files.length - failed
  if (stdout.isTTY !== true || unit.logging.format === 'json') {
    const ports = { ports: gateway.ports, adminPort: gateway.adminPort }
    logger.info(
      { ...urls, ...ports, units: unit.units, mode: unit.mode, routes, ...(failed > 0 && { failed }) },
      'the gateway is ready',
    )
    return
  }
  const paint = paintFor(stdout, context)
  const rows = [
    ...urls.traffic.map((address) => ['  traffic', paint('cyan', `${address}/`)]),
    ['  management', paint('cyan', `${urls.admin}/api/info`)],
    ['  instance', unit.instance],
  ]
  const title = `Identity Gateway ${VERSION.version} is ready`
  const loaded = `${counted(routes, 'route file')}${failed > 0 ? `, ${failed} failed` : ''}`
  const facts = `(${unit.mode}, ${counted(unit.units, 'unit')}, ${loaded}; Ctrl-C stops)`
  stdout.write(`\n${paint('green', title)} ${facts}\n${aligned(rows).join('\n')}\n\n`)
}
