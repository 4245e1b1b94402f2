import { join } from 'node:path'
import { after } from 'node:test'
import { CATALOGUE } from '#catalogue'
import { type AdminSettings, Gateway, openAdminSettings, readConfigFile } from '#control'
import { instanceDirectories, loadExtensions } from '#instance'
import type { JsonObject } from '#json'
import { createLogger } from '#logging'
import type { HeartbeatLimits } from '#rpc'
import { type FileContent, type InstanceParts, TestInstance } from './instance.ts'
import { LogLines } from './log-lines.ts'
import { type ReceivedResponse, type RequestOptions, sendRequest } from './send-request.ts'
import { threadEntry } from './thread-entry.ts'

/** Entry point of the threads of units. */
const UNIT_ENTRY = threadEntry(new URL('./unit-thread.ts', import.meta.url).href)

/** Settings of a gateway under test. */
export interface GatewayParts extends InstanceParts {
  readonly env?: Readonly<Record<string, string>>
  /** State directory; files are written to the instance by default. */
  readonly state?: string
  /** Folder of the pages of the Studio; a missing one by default. */
  readonly studioPages?: string
  /** Time-outs of the heartbeat. */
  readonly heartbeat?: HeartbeatLimits
  /** Called during the start, when the management connector is open. */
  readonly whileStarting?: (starting: RunningGateway) => Promise<void>
}

/** Parts that a test may add to a running gateway. */
export type ReusableParts = Pick<GatewayParts, 'units' | 'files' | 'routes'>

/** Gateways of tests that have ended. */
const idle: RunningGateway[] = []
after(async () => {
  for (const running of idle) await running[Symbol.asyncDispose]()
})

/** A whole gateway on free loopback ports, in the process of the test; its units are threads as always. */
export class RunningGateway implements AsyncDisposable {
  readonly instance: TestInstance
  readonly gateway: Gateway
  readonly log: LogLines
  readonly #unitLines: BroadcastChannel
  /** Paths that a test has added to a gateway that other tests reuse. */
  #added: readonly string[] | null = null

  private constructor(
    instance: TestInstance,
    settings: AdminSettings,
    parts: Pick<GatewayParts, 'env' | 'heartbeat' | 'studioPages'>,
  ) {
    const { env = {}, heartbeat } = parts
    this.instance = instance
    this.log = new LogLines()
    this.#unitLines = new BroadcastChannel(instance.directory)
    this.#unitLines.onmessage = (event) => this.log.write((event as { data: string }).data)
    this.gateway = new Gateway({
      settings,
      unitEntry: UNIT_ENTRY,
      studioPages: parts.studioPages ?? join(instance.directory, 'no-studio'),
      logger: createLogger({ level: 'info', format: 'json', destination: this.log }).child({ logger: 'gateway' }),
      env,
      version: '1.2.3',
      revision: 'test',
      ...(heartbeat === undefined ? {} : { heartbeat }),
    })
  }

  /** Resolves when every unit serves. */
  static async start(parts: GatewayParts = {}): Promise<RunningGateway> {
    const instance = new TestInstance(parts)
    const { NODE_COMPILE_CACHE: compiled } = process.env
    const env = { ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }), ...parts.env }
    try {
      const running = new RunningGateway(instance, await settingsOf(instance.directory, env, parts.state), {
        ...parts,
        env,
      })
      try {
        const started = running.gateway.start()
        if (parts.whileStarting !== undefined) {
          while (running.gateway.adminPort === 0) await Promise.race([started, turn()])
          await parts.whileStarting(running)
        }
        await started
        return running
      } catch (error) {
        await running[Symbol.asyncDispose]()
        throw error
      }
    } catch (error) {
      instance[Symbol.dispose]()
      throw error
    }
  }

  /**
   * The gateway of an earlier test of the process, if there is one with as many units: the start is the largest part of many
   * tests. Its routes, files and log lines are those of this test; metrics continue.
   */
  static async reuse({ units = 1, files = {}, routes = {} }: ReusableParts = {}): Promise<RunningGateway> {
    const atStart = Object.keys(files).filter((path) => path.startsWith('config/'))
    if (atStart.length > 0) throw new Error(`${atStart} is read at the start: use RunningGateway.start`)
    const at = idle.findIndex(({ gateway }) => gateway.units.length === units)
    const running = idle.splice(at, at < 0 ? 0 : 1)[0] ?? (await RunningGateway.start({ units }))
    const added = { ...files }
    for (const [name, route] of Object.entries(routes)) added[`config/routes/${name}.json`] = route
    running.#added = Object.keys(added)
    running.log.lines.length = 0
    for (const [path, content] of Object.entries(added)) running.instance.write(path, content)
    await running.scan()
    return running
  }

  get port(): number {
    return this.gateway.ports[0] as number
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.gateway.adminPort}`
  }

  ask(path: string, options: RequestOptions = {}): Promise<ReceivedResponse> {
    return sendRequest(this.url + path, options)
  }

  askAdmin(path: string, options: RequestOptions = {}): Promise<ReceivedResponse> {
    return sendRequest(this.adminUrl + path, options)
  }

  /** Writes a route file and waits until it is served, or rejected. */
  async deploy(name: string, content: FileContent): Promise<void> {
    if (this.#added !== null) this.#added = [...this.#added, `config/routes/${name}.json`]
    this.instance.writeRoute(name, content)
    await this.scan()
  }

  async undeploy(name: string): Promise<void> {
    this.instance.removeRoute(name)
    await this.scan()
  }

  /** One scan of every route folder, as by the watcher and the interval. */
  async scan(): Promise<void> {
    for (const { deployment } of this.gateway.stores.all) await deployment.scan()
  }

  /** Waits until every unit serves, also those that are being restarted. */
  async untilReady(): Promise<void> {
    for (;;) {
      const units = this.gateway.units
      if (units.every(({ state }) => state === 'ready')) return
      // A unit that ended is replaced a moment later; one that starts reports when it is ready.
      const starting = units.filter(({ state }) => state === 'starting').map((unit) => unit.started)
      await Promise.all([...starting, turn()])
    }
  }

  /** The problems of a route file. */
  problems(file: string): string[] {
    const statuses = this.gateway.stores.all.flatMap(({ deployment }) => deployment.status())
    const found = statuses.filter((status) => status.file === file).flatMap(({ problems }) => problems)
    return found.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))
  }

  /** The sum of a metric over all units, of the series with the given labels. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const samples = await this.gateway.collect()
    const wanted = samples.filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    return wanted.reduce((sum, sample) => sum + (sample.count ?? sample.value), 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#added === null) return this.#end()
    for (const path of this.#added) this.instance.remove(path)
    this.#added = null
    await this.scan()
    idle.push(this)
  }

  async #end(): Promise<void> {
    await this.gateway.terminate()
    this.#unitLines.close()
    this.instance[Symbol.dispose]()
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}

async function settingsOf(
  instance: string,
  env: Readonly<Record<string, string>>,
  state: string | null = null,
): Promise<AdminSettings> {
  const directories = instanceDirectories(instance)
  const types = [...CATALOGUE, ...(await loadExtensions(directories.extra, CATALOGUE))]
  const json = readConfigFile(`${directories.config}/admin.json`).value as JsonObject
  return openAdminSettings(json, { instance, state, types, env, logger: createLogger({ level: 'silent' }) })
}

/** A route with a static text response. */
export function textRoute(text: string, fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    ...fields,
    handler: {
      type: 'StaticResponseHandler',
      config: { status: 200, headers: { 'Content-Type': ['text/plain; charset=UTF-8'] }, entity: text },
    },
  }
}

/** A route for one path with a static text response. */
export function pathRoute(path: string, text: string, fields: Readonly<Record<string, unknown>> = {}) {
  return textRoute(text, { condition: `\${request.uri.path == '${path}'}`, ...fields })
}
