import type { JsonObject } from '#json'
import type { EtcdMember } from './etcd.ts'
import { type GatewayParts, RunningGateway } from './gateway.ts'
import { type Managed, type Managing, managing } from './management.ts'
import { waitUntil } from './waiting.ts'

export const RELEASES = '/api/system/releases'
export const INSTANCES = '/api/system/instances'

/** `maxReleaseSize` of these gateways. */
export const MAX_RELEASE = 3 * 1024 * 1024

/** Settings of a gateway of a fleet. */
export interface FleetParts extends GatewayParts {
  readonly id: string
  readonly labels?: Readonly<Record<string, string>>
  readonly prefix?: string
}

/** A gateway whose configuration is in etcd, with a client of its management API. */
export class FleetGateway implements AsyncDisposable {
  readonly gateway: RunningGateway
  readonly id: string
  readonly #manage: ReturnType<typeof managing>

  private constructor(gateway: RunningGateway, id: string) {
    this.gateway = gateway
    this.id = id
    this.#manage = managing(gateway.adminUrl)
  }

  static async start(etcd: readonly Pick<EtcdMember, 'url'>[], parts: FleetParts): Promise<FleetGateway> {
    return new FleetGateway(await RunningGateway.start(fleetParts(etcd, parts)), parts.id)
  }

  manage(method: string, path: string, request?: Managing): Promise<Managed> {
    return this.#manage(method, path, request)
  }

  /**
   * Text of the response to a path. While units are replaced, Linux may reset a connection that was not accepted
   * (docs/guide/deployment.md, "Ports that are handed over"): it is opened again.
   */
  async text(path: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.gateway.ask(path)).text
      } catch (error) {
        const { syscall, code } = error as NodeJS.ErrnoException
        if (syscall !== 'connect' || code !== 'ECONNRESET' || attempt === 5) throw error
      }
    }
  }

  /** Waits until a path has a text. */
  async serves(path: string, text: string): Promise<void> {
    await waitUntil(`${this.id} responds to ${path} with ${text}`, async () => (await this.text(path)) === text)
  }

  /** The check of the store in the health of the gateway. */
  async storeCheck(): Promise<{ status: number; ok: boolean; state: string; detail: string }> {
    const { status, json } = await this.manage('GET', '/health/ready?verbose')
    const checks = json['checks'] as unknown as { name: string; ok: boolean; state: string; detail: string }[]
    const { ok, state, detail } = checks.find(({ name }) => name === 'store')!
    return { status, ok, state, detail }
  }

  /** The records of all instances by id, as this gateway lists them. */
  async instances(): Promise<Map<string, JsonObject>> {
    const { json } = await this.manage('GET', `${INSTANCES}?_queryFilter=true`)
    const result = (json['results'] ?? []) as JsonObject[]
    return new Map(result.map((each) => [String(each['_id']), each]))
  }

  /** Makes a release of these files. */
  push(files: Readonly<Record<string, unknown>>, others: Readonly<Record<string, unknown>> = {}): Promise<Managed> {
    const texts = Object.fromEntries(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === 'string' ? content : JSON.stringify(content),
      ]),
    )
    return this.manage('POST', `${RELEASES}?_action=create`, { body: { files: texts, ...others } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]()
  }
}

/** Parts of a gateway with a store. */
export function fleetParts(
  etcd: readonly Pick<EtcdMember, 'url'>[],
  { id, labels = {}, prefix, ...parts }: FleetParts,
): GatewayParts {
  const endpoints = etcd.map(({ url }) => url)
  const config = { endpoints, maxReleaseSize: MAX_RELEASE, ...(prefix !== undefined && { prefix }) }
  const fleet = { store: { type: 'EtcdStore', config }, instanceId: id, labels, mode: 'DEVELOPMENT' }
  return { ...parts, admin: { ...fleet, ...parts.admin } }
}
