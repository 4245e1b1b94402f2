// Debian's rabbitmq-server with its plugin for AMQP 1.0, and its data in a folder of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, globSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Folder } from '#test/folder'
import { freePort } from '#test/nginx'

const [PROGRAM = ''] = globSync('/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server')
const [PLUGIN] = PROGRAM === '' ? [] : globSync(join(dirname(PROGRAM), '..', 'plugins', 'rabbitmq_amqp1_0-*'))
const START_TIMEOUT = 120_000

/** Why it can not run here, or false. */
export const rabbitMqMissing: string | false =
  PLUGIN === undefined ? 'RabbitMQ is not installed; to have it: apt-get install rabbitmq-server' : false

export const RABBITMQ_VERSION = /rabbitmq_server-([^/]+)/.exec(PROGRAM)?.[1] ?? ''

const DEFINITIONS = {
  users: [{ name: 'gateway', password: 'right', tags: 'administrator' }],
  vhosts: [{ name: '/' }],
  permissions: [{ user: 'gateway', vhost: '/', configure: '.*', write: '.*', read: '.*' }],
  queues: [{ name: 'durable', vhost: '/', durable: true, auto_delete: false, arguments: {} }],
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) end(child)
})

export class RabbitMqServer implements AsyncDisposable {
  readonly port: number
  readonly #nodePort: number
  readonly #mapperPort: number
  readonly #folder = new Folder()
  readonly #mapper: ChildProcess
  #server: ChildProcess | null = null
  #starts = 0

  private constructor(port: number, nodePort: number, mapperPort: number) {
    this.port = port
    this.#nodePort = nodePort
    this.#mapperPort = mapperPort
    this.#folder.write('definitions.json', JSON.stringify(DEFINITIONS))
    this.#folder.write('enabled_plugins', '[rabbitmq_amqp1_0].\n')
    this.#folder.write(
      'rabbitmq.conf',
      `listeners.tcp.1 = 127.0.0.1:${port}\nload_definitions = ${this.#folder.in('definitions.json')}\n`,
    )
    // In the foreground: a port mapper that Erlang starts by itself would outlive the suite.
    this.#mapper = start(
      'epmd',
      ['-address', '127.0.0.1', '-port', String(mapperPort)],
      {},
      this.#folder.in('epmd.out'),
    )
  }

  static async start(): Promise<RabbitMqServer> {
    const server = new RabbitMqServer(await freePort(), await freePort(), await freePort())
    await server.restart()
    return server
  }

  async kill(): Promise<void> {
    await ended(this.#server)
  }

  /** Starts a process with the data of the one before. */
  async restart(): Promise<void> {
    const path = this.#folder.path
    const log = this.#folder.in(`server-${++this.#starts}.out`)
    const env = {
      HOME: path,
      ERL_EPMD_PORT: String(this.#mapperPort),
      RABBITMQ_NODENAME: `interop${this.port}@localhost`,
      RABBITMQ_DIST_PORT: String(this.#nodePort),
      RABBITMQ_CONFIG_FILE: join(path, 'rabbitmq'),
      RABBITMQ_CONF_ENV_FILE: join(path, 'none'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(path, 'enabled_plugins'),
      RABBITMQ_MNESIA_BASE: join(path, 'data'),
      RABBITMQ_LOG_BASE: join(path, 'log'),
      RABBITMQ_LOGS: '-',
      RABBITMQ_PID_FILE: join(path, 'pid'),
    }
    const server = start(PROGRAM, [], env, log)
    this.#server = server
    const deadline = Date.now() + START_TIMEOUT
    while (
      !(existsSync(log) && /Server startup complete|Starting broker\.\.\. completed/.test(readFileSync(log, 'utf8')))
    ) {
      if (server.exitCode !== null || Date.now() > deadline)
        throw new Error(`RabbitMQ does not start:\n${readFileSync(log, 'utf8').slice(-3_000)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ended(this.#server)
    await ended(this.#mapper)
    this.#folder[Symbol.dispose]()
  }
}

/** A process in a group of its own: the script starts others. */
function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  log: string,
): ChildProcess {
  const output = openSync(log, 'a')
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    detached: true,
  })
  closeSync(output)
  running.add(child)
  return child
}

async function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || !running.has(child)) return
  const exited = child.exitCode !== null || child.signalCode !== null ? null : once(child, 'exit')
  end(child)
  await exited
}

function end(child: ChildProcess): void {
  running.delete(child)
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}
