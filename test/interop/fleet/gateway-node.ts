// One gateway of the fleet: a process that is killed, stopped and started again with its ports, folder and state.
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import { type Managed, type Managing, managing } from '#test/management'
import { freePort } from '#test/nginx'
import { type ReceivedResponse, sendRequest } from '#test/send-request'
import { waitUntil } from '#test/waiting'
import { shiftedClock } from './shifted-clock.ts'

export const RELEASES = '/api/system/releases'
export const INSTANCES = '/api/system/instances'

/** Settings of a gateway of the fleet. */
interface NodeParts {
  readonly name: string
  readonly endpoints: readonly string[]
  /** The difference of its clock, such as `+5h`, null for none. */
  readonly clock: string | null
}

/** The check of the store in the health of a gateway. */
export interface StoreCheck {
  readonly status: number
  readonly ok: boolean
  readonly state: string
  readonly detail: string
}

/** A gateway of two units as `gateway run`. */
export class GatewayNode implements AsyncDisposable {
  readonly name: string
  readonly port: number
  readonly adminPort: number
  readonly instance: TestInstance
  readonly #parts: NodeParts
  readonly #manage: ReturnType<typeof managing>
  #process: GatewayProcess | null = null
  #prefix = '/identity-gateway'
  /** Lines of the log of earlier processes. */
  readonly #earlier: string[] = []

  private constructor(parts: NodeParts, port: number, adminPort: number) {
    this.#parts = parts
    this.name = parts.name
    this.port = port
    this.adminPort = adminPort
    this.instance = new TestInstance({ units: 2, connector: { port }, admin: this.#admin() })
    this.#manage = managing(`http://127.0.0.1:${adminPort}`)
  }

  static async create(parts: NodeParts): Promise<GatewayNode> {
    return new GatewayNode(parts, await freePort(), await freePort())
  }

  get pid(): number {
    return this.#running.pid
  }

  get log(): readonly string[] {
    return [...this.#earlier, ...(this.#process?.log.lines ?? [])]
  }

  /** Starts the process, and resolves when it is ready. */
  async start(prefix = this.#prefix): Promise<void> {
    if (prefix !== this.#prefix) {
      this.#prefix = prefix
      this.instance.write('config/admin.json', {
        connectors: [{ port: this.port, host: '127.0.0.1' }],
        gatewayUnits: 2,
        accessLog: { destination: 'off' },
        ...this.#admin(),
        logging: { format: 'json' },
      })
    }
    const { clock } = this.#parts
    this.#process = await GatewayProcess.start({
      instance: this.instance,
      env: clock === null ? {} : shiftedClock(clock),
    })
  }

  /** Kills the process as in a crash. */
  async kill(): Promise<void> {
    const running = this.#running
    running.kill('SIGKILL')
    await running.exit
    this.#earlier.push(...running.log.lines)
    this.#process = null
  }

  /** Stops all its threads, as when its machine sleeps. */
  freeze(): void {
    this.#running.kill('SIGSTOP')
  }

  thaw(): void {
    this.#running.kill('SIGCONT')
  }

  manage(method: string, path: string, request?: Managing): Promise<Managed> {
    return this.#manage(method, path, request)
  }

  /** A response on a new connection. */
  ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ReceivedResponse> {
    return sendRequest(`http://127.0.0.1:${this.port}${path}`, { headers })
  }

  async storeCheck(): Promise<StoreCheck> {
    const { status, json } = await this.manage('GET', '/health/ready?verbose')
    const checks = (json['checks'] ?? []) as unknown as (StoreCheck & { readonly name: string })[]
    const { ok = false, state = '', detail = '' } = checks.find(({ name }) => name === 'store') ?? {}
    return { status, ok, state, detail }
  }

  /** Waits until the check of the store matches; the gateway has to be ready all the time. */
  async untilStore(pattern: RegExp, limit = 60_000): Promise<StoreCheck> {
    let found: StoreCheck | null = null
    await waitUntil(
      `the store check of ${this.name} is ${pattern}`,
      async () => {
        found = await this.storeCheck()
        if (found.status !== 200) throw new Error(`${this.name} is not ready: ${found.status} ${found.detail}`)
        if (pattern.test(`${found.state}: ${found.detail}`)) return true
        await new Promise((resolve) => setTimeout(resolve, 50))
        return false
      },
      limit,
    )
    return found as unknown as StoreCheck
  }

  async metric(name: string): Promise<number> {
    const { text } = await this.manage('GET', '/metrics/prometheus')
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== null) {
      this.thaw()
      await this.kill()
    }
    this.instance[Symbol.dispose]()
  }

  get #running(): GatewayProcess {
    if (this.#process === null) throw new Error(`${this.name} does not run`)
    return this.#process
  }

  #admin(): Record<string, unknown> {
    const { name, endpoints } = this.#parts
    const config = { endpoints, prefix: this.#prefix, keepReleases: 10_000 }
    return {
      adminConnector: { port: this.adminPort },
      mode: 'DEVELOPMENT',
      instanceId: name,
      labels: { stage: name },
      store: { type: 'EtcdStore', config },
    }
  }
}
