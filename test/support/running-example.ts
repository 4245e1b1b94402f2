import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { Folder } from './folder.ts'
import { type CommandBlock, commandBlocks } from './guide.ts'
import { GATEWAY_COMMAND } from './installation.ts'
import { sendRequest } from './send-request.ts'
import { SpawnedCommand } from './spawned-command.ts'
import { waitUntil } from './waiting.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const ADMIN_PASSWORD = 'of-the-test'

interface RouteState {
  readonly _status: { readonly problems: readonly object[] }
  /** Null where no version is served yet. */
  readonly _served: unknown
}

/** An instance of `examples/`, copied and started with its servers on free ports as its README says. */
export class RunningExample implements AsyncDisposable {
  readonly #folder = new Folder()
  readonly #processes = new AsyncDisposableStack()
  readonly #name: string
  /** Ports of the README, and those of this run. */
  readonly #ports = new Map<string, string>()
  readonly #blocks: readonly CommandBlock[]
  readonly gateway: SpawnedCommand

  private constructor(name: string) {
    this.#name = name
    cpSync(join(ROOT, 'examples'), this.#folder.in('examples'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), this.#folder.in('node_modules'))
    this.#blocks = commandBlocks(readFileSync(join(ROOT, 'examples', name, 'README.md'), 'utf8'))
    const admin = this.#instance('config', 'admin.json')
    writeFileSync(admin, readFileSync(admin, 'utf8').replaceAll(/"port": \d+/g, '"port": 0'))
    // The routes are added when the ports of all servers are known.
    renameSync(this.#instance('config', 'routes'), this.#instance('routes'))
    mkdirSync(this.#instance('config', 'routes'))
    this.gateway = this.#processes.use(
      new SpawnedCommand(['run', '--instance', this.#instance()], { GATEWAY_ADMIN_PASSWORD: ADMIN_PASSWORD }),
    )
  }

  /** Runs the commands of the README up to those that start servers, and starts these. */
  static async start(name: string): Promise<RunningExample> {
    const preparing = commandBlocks(readFileSync(join(ROOT, 'examples', name, 'README.md'), 'utf8'))
    const started = preparing.findIndex(({ commands }) => isStart(commands))
    if (started < 0) throw new Error(`${name}: no block of the README starts servers`)
    const example = new RunningExample(name)
    try {
      await example.#open(started)
      return example
    } catch (error) {
      await example[Symbol.asyncDispose]()
      throw error
    }
  }

  async #open(started: number): Promise<void> {
    for (const { commands } of this.#blocks.slice(0, started)) await this.#shell(commands)
    const [, line] = await this.gateway.writes(/^(\{.*"message":"the gateway is ready".*\})$/m)
    const { ports, adminPort } = JSON.parse(line as string) as { ports: number[]; adminPort: number }
    this.#ports.set('8080', String(ports[0])).set('8085', String(adminPort))
    if (ports[1] !== undefined) this.#ports.set('8443', String(ports[1]))
    for (const command of (this.#blocks[started] as CommandBlock).commands.trim().split('\n')) {
      const script = /^node examples\/(\w+)\.mjs &$/.exec(command)?.[1]
      if (script !== undefined) await this.#startServer(script)
      else if (command !== `bin/gateway run --instance examples/${this.#name} &`) throw new Error(`unknown: ${command}`)
    }
    await this.#deploy()
  }

  async #startServer(script: string): Promise<void> {
    const words = [this.#folder.in(`examples/${script}.mjs`), '0', `http://localhost:${this.#ports.get('8080')}`]
    const server = this.#processes.use(new SpawnedCommand(words, {}, process.execPath))
    const [, port] = await server.writes(/on http:\/\/localhost:(\d+)/)
    this.#ports.set(script === 'provider' ? '9000' : '3000', port as string)
  }

  async #deploy(): Promise<void> {
    const files = globSync('*.json', { cwd: this.#instance('routes') })
    for (const file of files) {
      const text = this.withPorts(readFileSync(this.#instance('routes', file), 'utf8'))
      writeFileSync(this.#instance('config', 'routes', basename(file)), text)
    }
    const routes = this.withPorts(
      'http://127.0.0.1:8085/api/system/objects/_router/routes?_queryFilter=true&_fields=_status,_served',
    )
    await waitUntil('the routes of the example are deployed', async () => {
      const { text } = await sendRequest(routes, { headers: { Authorization: `Bearer ${ADMIN_PASSWORD}` } })
      const { results } = JSON.parse(text) as { results: readonly RouteState[] }
      const problems = results.flatMap(({ _status }) => _status.problems)
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
      return results.filter(({ _served }) => _served !== null).length === files.length
    })
  }

  /** Runs the other commands of the README in one shell; returns the output of each block, beside that of the README. */
  async runCommands(): Promise<{ readonly commands: string; readonly shown: string[]; readonly printed: string[] }[]> {
    const after = this.#blocks.slice(this.#blocks.findIndex(({ commands }) => isStart(commands)) + 1)
    const stdout = await this.#shell(after.map(({ commands }) => `${commands}\necho '--- end of block'`).join('\n'))
    const printed = stdout.split('--- end of block\n')
    return after.map(({ commands, output }, at) => ({
      commands,
      shown: output.map((line) => this.withPorts(line)),
      printed: (printed[at] ?? '').split('\n').map((line) => line.trim()),
    }))
  }

  /** A text of the README with the ports of this run. */
  withPorts(text: string): string {
    return text.replaceAll(/(?<=:)(?:3000|8080|8085|8443|9000)\b/g, (port) => this.#ports.get(port) ?? port)
  }

  async #shell(commands: string): Promise<string> {
    const script = this.withPorts(commands).replaceAll(/\bbin\/gateway\b/g, `'${GATEWAY_COMMAND}'`)
    const options = { cwd: this.#folder.path, timeout: 60_000 }
    return (await promisify(execFile)('/bin/sh', ['-e', '-c', script], options)).stdout
  }

  #instance(...path: readonly string[]): string {
    return this.#folder.in(join('examples', this.#name, ...path))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes.disposeAsync()
    this.#folder[Symbol.dispose]()
  }
}

function isStart(commands: string): boolean {
  return commands.trim().endsWith(' &')
}
