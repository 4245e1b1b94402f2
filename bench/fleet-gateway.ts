import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ByteRelay } from './byte-relay.ts'
import { startGateway } from './gateway-server.ts'
import type { ServerProcess } from './server-process.ts'
import { root, type Workspace } from './workspace.ts'

/** Until a gateway serves a release of ten thousand routes. */
const SERVED_WITHIN = 120_000
const INTERVAL = 10

interface Running {
  readonly server: ServerProcess
  readonly url: string
  readonly adminUrl: string
}

/** A gateway of a fleet, whose bytes from etcd are counted. */
export class FleetGateway implements AsyncDisposable {
  readonly id: string
  readonly #workspace: Workspace
  readonly #relay: ByteRelay
  #running: Running | null = null

  private constructor(id: string, workspace: Workspace, relay: ByteRelay) {
    this.id = id
    this.#workspace = workspace
    this.#relay = relay
  }

  /** Starts the gateway without routes of its own. */
  static async start(id: string, workspace: Workspace, etcdPort: number): Promise<FleetGateway> {
    const gateway = new FleetGateway(id, workspace, await ByteRelay.start(etcdPort))
    await gateway.start()
    return gateway
  }

  async start(): Promise<void> {
    const store = { type: 'EtcdStore', config: { endpoints: [this.#relay.url] } }
    const admin = { mode: 'DEVELOPMENT', store, instanceId: this.id }
    this.#running = await startGateway(this.#workspace, this.id, new Map(), { admin })
  }

  async stop(): Promise<void> {
    const running = this.#running
    this.#running = null
    await running?.server[Symbol.asyncDispose]()
  }

  /** The next start has no local copy. */
  forgetCopy(): void {
    rmSync(join(this.#workspace.path, this.id, 'state'), { recursive: true, force: true })
  }

  get server(): ServerProcess {
    return this.#current.server
  }

  get adminUrl(): string {
    return this.#current.adminUrl
  }

  /** Bytes from etcd so far. */
  get received(): number {
    return this.#relay.received
  }

  /** Milliseconds since `begin` when a path has this text. */
  async servedAfter(begin: number, path: string, text: string): Promise<number> {
    for (let last = ''; ; await pause(INTERVAL)) {
      const asked = performance.now()
      if (asked - begin > SERVED_WITHIN)
        throw new Error(`${this.id}: expected ${path} to be ${JSON.stringify(text)}, got ${JSON.stringify(last)}`)
      const response = await fetch(`${this.#current.url}${path}`)
      last = await response.text()
      // A request that was sent before the change may have waited.
      if (last === text) return performance.now() - begin
    }
  }

  /** Runs a command of `gateway` on this one. */
  async run(...words: string[]): Promise<string> {
    const command = join(root, 'bin', 'gateway')
    const options = { maxBuffer: 64 * 1_024 * 1_024, timeout: 10 * 60_000 }
    const all = [...words, '--gateway', this.adminUrl]
    const { stdout } = await promisify(execFile)(command, all, options).catch((error: { stderr?: string }) => {
      throw new Error(`gateway ${all.join(' ')}: ${error.stderr?.slice(-2_000)}`)
    })
    return stdout
  }

  /** Replaces one route over the management API. */
  async putRoute(id: string, route: object): Promise<void> {
    const response = await fetch(`${this.adminUrl}/api/system/objects/_router/routes/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(route),
    })
    const body = await response.text()
    if (!response.ok) throw new Error(`${this.id}: PUT of ${id}: ${response.status} ${body.slice(0, 500)}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.#relay[Symbol.asyncDispose]()
  }

  get #current(): Running {
    if (this.#running === null) throw new Error(`${this.id} does not run`)
    return this.#running
  }
}
