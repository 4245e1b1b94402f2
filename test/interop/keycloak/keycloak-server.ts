// A real Keycloak from Maven Central, with its database in memory.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Authority, type Issued } from '#test/certificates'
import { freePort } from '#test/nginx'
import { JavaProcess } from '../java-process.ts'
import { findJdk } from '../jdk.ts'
import { CACHE, fetchArtifact } from '../maven.ts'

const VERSION = '26.7.3'
const HOME = join(CACHE, `keycloak-${VERSION}`)

/** Options that are compiled into the server. */
const BUILD = [
  '--db=dev-mem',
  '--cache=local',
  '--https-client-auth=request',
  '--features=dpop,step-up-authentication,par,token-exchange-standard',
]

/** The quickest start on few cores, in bounded memory; the rest as in its script. */
const JVM = [
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-Xms128m',
  '-Xmx640m',
  '-XX:MaxMetaspaceSize=256m',
  '--add-opens=java.base/java.util=ALL-UNNAMED',
  '--add-opens=java.base/java.util.concurrent=ALL-UNNAMED',
  '--add-opens=java.base/java.security=ALL-UNNAMED',
  '--add-opens=java.base/java.lang=ALL-UNNAMED',
  `-Dkc.home.dir=${HOME}`,
  `-Djboss.server.config.dir=${join(HOME, 'conf')}`,
  '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
  '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
]
const MAIN = 'io.quarkus.bootstrap.runner.QuarkusEntryPoint'

/** Start time-out, for a busy machine. */
const START_TIMEOUT = 300_000

/** Host name for browsers; the gateway uses another one. */
export const KEYCLOAK_HOST = 'login.other.test'

export class KeycloakServer implements AsyncDisposable {
  readonly authority = new Authority('Authority of Keycloak')
  /** Certificates of clients that the server trusts. */
  readonly owner: Issued = this.authority.issue({ name: 'owner' })
  readonly thief: Issued = this.authority.issue({ name: 'thief' })
  port = 0
  securePort = 0
  #jvm: JavaProcess | null = null

  /** The URL for internal calls; URLs in its metadata have the requested host name. */
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
    return this.#jvm?.peakMemory ?? 0
  }

  async start(): Promise<void> {
    const jdk = findJdk(21)
    build(jdk)
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
    this.#jvm = new JavaProcess({
      jdk,
      args: [...JVM, '-cp', join(HOME, 'lib', 'quarkus-run.jar'), MAIN, 'start', '--optimized', ...options],
      cwd: HOME,
      env: { KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin' },
      log: join(this.authority.directory, 'keycloak.log'),
    })
    await this.#jvm.until(async () => (await fetch(`${this.url}/realms/master`)).ok, START_TIMEOUT)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jvm?.[Symbol.asyncDispose]()
    this.authority[Symbol.dispose]()
  }
}

/** Unpacks and compiles the server once. */
function build(jdk: string): void {
  const marker = join(HOME, 'built')
  if (existsSync(marker) && readFileSync(marker, 'utf8') === BUILD.join(' ')) return
  const archive = fetchArtifact(`org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`)
  console.log(`unpacking and building Keycloak ${VERSION}`)
  rmSync(HOME, { recursive: true, force: true })
  mkdirSync(CACHE, { recursive: true })
  execute(join(jdk, 'bin', 'jar'), ['-xf', archive])
  execute('sh', [join(HOME, 'bin', 'kc.sh'), 'build', ...BUILD], { ...process.env, JAVA_HOME: jdk })
  writeFileSync(marker, BUILD.join(' '))
}

function execute(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: CACHE, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? `${stdout}${stderr}`.slice(-3000)}`)
}
