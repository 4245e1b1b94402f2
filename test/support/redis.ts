import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accepts, freePort } from './nginx.ts'

/** Why tests with Redis cannot run here, or false. */
export const redisMissing: string | false =
  spawnSync('redis-server', ['--version']).status === 0
    ? false
    : 'redis-server is not on the PATH; nothing was checked against it'

/** A real Redis on a free loopback port, which a test may take away and bring back. */
export class RedisServer implements AsyncDisposable {
  readonly port: number
  readonly #directory: string
  readonly #arguments: readonly string[]
  #child: ChildProcess

  private constructor(port: number, directory: string, args: readonly string[], child: ChildProcess) {
    this.port = port
    this.#directory = directory
    this.#arguments = args
    this.#child = child
  }

  /** Starts a server with further arguments, such as `--requirepass`; nothing is ever written to disk. */
  static async start(...extra: string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-redis-'))
    const port = await freePort()
    const plain = extra.includes('--tls-port') ? ['--port', '0'] : ['--port', `${port}`]
    const args = [...plain, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory]
    const all = [...args, ...extra.map((each) => each.replaceAll('{port}', `${port}`))]
    return new RedisServer(port, directory, all, await started(port, all))
  }

  /** Starts a sentinel with the lines of its configuration. */
  static async startSentinel(...lines: string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-sentinel-'))
    const port = await freePort()
    const file = join(directory, 'sentinel.conf')
    await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${directory}`, ...lines, ''].join('\n'))
    const args = [file, '--sentinel']
    return new RedisServer(port, directory, args, await started(port, args))
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** What the server answers to a command, as `redis-cli` prints it. */
  async ask(...command: (string | number)[]): Promise<string> {
    const args = ['-p', `${this.port}`, ...cliOptions(this.#arguments), ...command.map(String)]
    return (await promisify(execFile)('redis-cli', args)).stdout.trim()
  }

  /** Waits until the answer to a command has something in it. */
  async answers(expected: string | RegExp, ...command: (string | number)[]): Promise<string> {
    const deadline = performance.now() + 10_000
    for (;;) {
      const answer = await this.ask(...command).catch(({ message }: Error) => message)
      if (typeof expected === 'string' ? answer.includes(expected) : expected.test(answer)) return answer
      if (performance.now() > deadline) throw new Error(`expected ${expected} of ${command.join(' ')}, got ${answer}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Kills it as a crash would. */
  async kill(): Promise<void> {
    await ended(this.#child, 'SIGKILL')
  }

  /** Starts it again on the same port, with nothing in it. */
  async restart(): Promise<void> {
    this.#child = await started(this.port, this.#arguments)
  }

  /** It keeps its connections, and answers nobody. */
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

function cliOptions(args: readonly string[]): string[] {
  const argumentOf = (name: string) => args[args.indexOf(name) + 1] as string
  const password = args.includes('--requirepass') ? ['--no-auth-warning', '-a', argumentOf('--requirepass')] : []
  const tls = args.includes('--tls-port') ? ['--tls', '--cacert', argumentOf('--tls-ca-cert-file')] : []
  return [...password, ...tls]
}

async function started(port: number, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  await accepts(port, child)
  return child
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}
