// A real Artemis broker, embedded in a small program.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Folder } from '#test/folder'
import { freePort } from '#test/nginx'
import { JavaProcess } from '../java-process.ts'
import { findJdk } from '../jdk.ts'
import { CACHE, fetchWithDependencies } from '../maven.ts'

export const VERSION = '2.40.0'
const START_TIMEOUT = 120_000

export class ArtemisServer implements AsyncDisposable {
  readonly port: number
  readonly #folder = new Folder()
  readonly #credentials: readonly string[]
  #jvm: JavaProcess | null = null
  #starts = 0

  private constructor(port: number, credentials: readonly string[]) {
    this.port = port
    this.#credentials = credentials
  }

  static async start(user?: { readonly name: string; readonly password: string }): Promise<ArtemisServer> {
    const credentials = user === undefined ? ['-', '-'] : [user.name, user.password]
    const server = new ArtemisServer(await freePort(), credentials)
    await server.restart()
    return server
  }

  get peakMemory(): number {
    return this.#jvm?.peakMemory ?? 0
  }

  async kill(): Promise<void> {
    await this.#jvm?.kill()
  }

  /** Starts a process with the data of the one before. */
  async restart(): Promise<void> {
    const jdk = findJdk(17)
    const [classes, jars] = compile(jdk)
    const log = this.#folder.in(`artemis-${++this.#starts}.out`)
    const program = ['-cp', [classes, join(jars, '*')].join(delimiter), 'Artemis']
    this.#jvm = new JavaProcess({
      jdk,
      args: [
        ...['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
        ...program,
        ...[String(this.port), this.#folder.path, ...this.#credentials],
      ],
      cwd: this.#folder.path,
      env: {},
      log,
    })
    await this.#jvm.until(async () => /^ready$/m.test(readFileSync(log, 'utf8')), START_TIMEOUT)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jvm?.[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}

function compile(jdk: string): [classes: string, jars: string] {
  const jars = fetchWithDependencies(
    `artemis-${VERSION}`,
    `org.apache.activemq:artemis-server:${VERSION}`,
    `org.apache.activemq:artemis-amqp-protocol:${VERSION}`,
    `org.apache.activemq:artemis-openwire-protocol:${VERSION}`,
  )
  const classes = join(CACHE, 'artemis-classes')
  mkdirSync(classes, { recursive: true })
  const args = ['-cp', join(jars, '*'), '-d', classes, join(import.meta.dirname, 'Artemis.java')]
  const { status, error, stderr } = spawnSync(join(jdk, 'bin', 'javac'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the broker does not compile: ${error?.message ?? stderr}`)
  return [classes, jars]
}
