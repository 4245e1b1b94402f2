// A real Keycloak from Maven Central, with its database in memory.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Authority, type Issued } from '#test/certificates'
import { freePort } from '#test/nginx'
import { findJdk } from '../jdk.ts'
import { CACHE, fetchArtifact } from '../maven.ts'
import { peakMemory } from '../memory.ts'

const VERSION = '26.7.3'
const HOME = join(CACHE, `keycloak-${VERSION}`)

/** Options that are compiled into the server. */
const BUILD = [
  '--db=dev-mem',
  '--cache=local',
  '--https-client-auth=request',
  '--features=dpop,step-up-authentication,par,token-exchange-standard',
]

/** How long a start may take on a busy machine. */
const START_TIMEOUT = 300_000

/** Where browsers find the server; the gateway asks it by another name. */
export const KEYCLOAK_HOST = 'login.other.test'

export class KeycloakServer implements AsyncDisposable {
  readonly authority = new Authority('Authority of Keycloak')
  /** Certificates of clients that the server trusts. */
  readonly owner: Issued = this.authority.issue({ name: 'owner' })
  readonly thief: Issued = this.authority.issue({ name: 'thief' })
  readonly #log = join(this.authority.directory, 'keycloak.log')
  port = 0
  securePort = 0
  #child: ChildProcess | null = null

  static async start(): Promise<KeycloakServer> {
    const server = new KeycloakServer()
    try {
      await server.#start()
      return server
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The URL for internal calls; those in its metadata follow the name that is asked. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get secureUrl(): string {
    return `https://127.0.0.1:${this.securePort}`
  }

  /** The URL for browsers, which is also in `iss` of every token. */
  get publicUrl(): string {
    return `http://${KEYCLOAK_HOST}:${this.port}`
  }

  get peakMemory(): number {
    return this.#child === null ? 0 : peakMemory(this.#child.pid as number)
  }

  async #start(): Promise<void> {
    const java = findJdk(21)
    build(java)
    ;[this.port, this.securePort] = [await freePort(), await freePort()]
    const { keyFile, certificateFile } = this.authority.issue({
      name: KEYCLOAK_HOST,
      altNames: `DNS:${KEYCLOAK_HOST},IP:127.0.0.1`,
      keyType: 'rsa',
    })
    const options = [
      '--http-enabled=true',
      '--http-host=127.0.0.1',
      `--http-port=${this.port}`,
      `--https-port=${this.securePort}`,
      `--https-certificate-file=${certificateFile}`,
      `--https-certificate-key-file=${keyFile}`,
      `--truststore-paths=${this.authority.certificateFile}`,
      `--hostname=${this.publicUrl}`,
      '--hostname-backchannel-dynamic=true',
    ]
    const log = openSync(this.#log, 'a')
    // A process group of its own, since the script has the JVM as a child.
    this.#child = spawn('sh', [script, 'start', '--optimized', ...options], {
      stdio: ['ignore', log, log],
      detached: true,
      env: { ...environment(java), KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin' },
    })
    closeSync(log)
    await this.#untilReady(this.#child)
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT
    while (performance.now() < deadline) {
      if (child.exitCode !== null) throw new Error(`Keycloak ended with ${child.exitCode}:\n${this.log.slice(-3000)}`)
      const answer = await fetch(`${this.url}/realms/master`).catch(() => null)
      if (answer?.ok === true) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    throw new Error(`Keycloak is not ready after ${START_TIMEOUT / 1000} s:\n${this.log.slice(-3000)}`)
  }

  get log(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8') : ''
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit')
      // Nothing in it is to be kept.
      process.kill(-(child.pid as number), 'SIGKILL')
      await exit
    }
    this.authority[Symbol.dispose]()
  }
}

const script = join(HOME, 'bin', 'kc.sh')

function environment(java: string): NodeJS.ProcessEnv {
  // The quickest start on few cores, in bounded memory.
  const options = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms128m -Xmx640m -XX:MaxMetaspaceSize=256m'
  return { ...process.env, JAVA_HOME: java, JAVA_OPTS: `${options} -Djava.net.preferIPv4Stack=true` }
}

/** Unpacks and compiles the server once. */
function build(java: string): void {
  const marker = join(HOME, 'built')
  if (existsSync(marker) && readFileSync(marker, 'utf8') === BUILD.join(' ')) return
  const archive = fetchArtifact(`org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`)
  console.log(`unpacking and building Keycloak ${VERSION}`)
  rmSync(HOME, { recursive: true, force: true })
  mkdirSync(CACHE, { recursive: true })
  execute(join(java, 'bin', 'jar'), ['-xf', archive])
  execute('sh', [script, 'build', ...BUILD], environment(java))
  writeFileSync(marker, BUILD.join(' '))
}

function execute(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: CACHE, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? `${stdout}${stderr}`.slice(-3000)}`)
}
