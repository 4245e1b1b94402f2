import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accepts, freePort } from './nginx.ts'

/** Why tests with Redis cannot run here, or false. */
export const redisMissing: string | false =
  spawnSync('redis-server', ['--version']).status === 0
    ? false
    : 'redis-server is not on the PATH; nothing was checked against it'

/** A real Redis on a free loopback port, which a test can stop and restart. */
export class RedisServer implements AsyncDisposable {
  readonly port: number
  readonly #directory: string
  readonly #arguments: readonly string[]
  readonly #clientArguments: readonly string[]
  #child: ChildProcess

  private constructor(parts: ServerParts, child: ChildProcess) {
    this.port = parts.port
    this.#directory = parts.directory
    this.#arguments = parts.args
    this.#clientArguments = clientArguments(parts.settings)
    this.#child = child
  }

  /** Starts a server with further arguments, such as `--requirepass`; nothing is ever written to disk. */
  static async start(...extra: string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-redis-'))
    const port = await freePort()
    const plain = extra.includes('--tls-port') ? ['--port', '0'] : ['--port', `${port}`]
    const settings = extra.map((each) => each.replaceAll('{port}', `${port}`))
    const args = [...plain, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory, ...settings]
    return new RedisServer({ port, directory, args, settings }, await started(port, args))
  }

  /** Starts a sentinel with the lines of its configuration. */
  static async startSentinel(...lines: string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-sentinel-'))
    const port = await freePort()
    const file = join(directory, 'sentinel.conf')
    const written = lines.map((line) => line.replaceAll('{port}', `${port}`))
    const plain = written.some((line) => line.startsWith('tls-port')) ? 'port 0' : `port ${port}`
    await writeFile(file, [plain, 'bind 127.0.0.1', `dir ${directory}`, ...written, ''].join('\n'))
    const settings = written.flatMap((line) => `--${line}`.split(' '))
    const args = [file, '--sentinel']
    return new RedisServer({ port, directory, args, settings }, await started(port, args))
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Reply of the server to a command, as `redis-cli` prints it. */
  async ask(...command: (string | number)[]): Promise<string> {
    const args = ['-p', `${this.port}`, ...this.#clientArguments, ...command.map(String)]
    return (await promisify(execFile)('redis-cli', args)).stdout.trim()
  }

  /** Waits until the reply to a command contains or matches a text. */
  async answers(expected: string | RegExp, ...command: (string | number)[]): Promise<string> {
    const deadline = performance.now() + 10_000
    for (;;) {
      const answer = await this.ask(...command).catch(({ message }: Error) => message)
      if (typeof expected === 'string' ? answer.includes(expected) : expected.test(answer)) return answer
      if (performance.now() > deadline) throw new Error(`expected ${expected} of ${command.join(' ')}, got ${answer}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Kills the process, as in a crash. */
  async kill(): Promise<void> {
    await ended(this.#child, 'SIGKILL')
  }

  /** Starts it again on the same port, without data. */
  async restart(): Promise<void> {
    this.#child = await started(this.port, this.#arguments)
  }

  /** Stops responding, with connections open. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw()
    await ended(this.#child, 'SIGKILL')
    await rm(this.#directory, { recursive: true, force: true })
  }
}

interface ServerParts {
  readonly port: number
  readonly directory: string
  readonly args: readonly string[]
  /** Settings of the test, as `--name value`. */
  readonly settings: readonly string[]
}

/** Credentials and TLS options of `redis-cli`. */
function clientArguments(settings: readonly string[]): string[] {
  const settingOf = (name: string) => settings[settings.indexOf(name) + 1] as string
  const password = settings.includes('--requirepass') ? ['--no-auth-warning', '-a', settingOf('--requirepass')] : []
  const tls = settings.includes('--tls-port') ? ['--tls', '--cacert', settingOf('--tls-ca-cert-file')] : []
  return [...password, ...tls]
}

async function started(port: number, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  await accepts(port, child)
  await reads(port)
  return child
}

/** Waits until the server reads: the kernel accepts connections before. With TLS, this text closes the connection. */
async function reads(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const done = new Promise<void>((resolve, reject) => {
    socket.once('data', () => resolve()).once('close', () => resolve())
    socket.once('error', () => resolve()).setTimeout(5_000, () => reject(new Error('Redis sends nothing')))
  })
  socket.write('PING\r\n')
  await done.finally(() => socket.destroy())
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}
