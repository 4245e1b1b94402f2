// A real Artemis broker, embedded in a small program.
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Folder } from '#test/folder'
import { freePort } from '#test/nginx'
import { JavaProcess } from '../java-process.ts'
import { compileJava, findJdk } from '../jdk.ts'
import { type BrokerTls, KEYSTORE_PASSWORD, writeKeystores } from '../keystores.ts'
import { CACHE, fetchWithDependencies } from '../maven.ts'

export const VERSION = '2.40.0'
const START_TIMEOUT = 120_000

/** Users by password, and by the subject of their client certificate. */
const LOGIN = `passwords {
  org.apache.activemq.artemis.spi.core.security.jaas.PropertiesLoginModule required
    org.apache.activemq.jaas.properties.user="users.properties"
    org.apache.activemq.jaas.properties.role="roles.properties";
};
certificates {
  org.apache.activemq.artemis.spi.core.security.jaas.TextFileCertificateLoginModule required
    org.apache.activemq.jaas.textfiledn.user="certificates.properties"
    org.apache.activemq.jaas.textfiledn.role="roles.properties";
};
`

interface ArtemisSettings {
  /** The only user; without one, no password is needed. */
  readonly user?: { readonly name: string; readonly password: string }
  /** Also a port with TLS that asks for a client certificate. The common name `gateway` is a user by SASL EXTERNAL. */
  readonly tls?: BrokerTls
}

export class ArtemisServer implements AsyncDisposable {
  readonly port: number
  readonly securePort: number
  readonly #folder = new Folder()
  readonly #settings: ArtemisSettings
  #jvm: JavaProcess | null = null
  #starts = 0

  private constructor(port: number, securePort: number, settings: ArtemisSettings) {
    this.port = port
    this.securePort = securePort
    this.#settings = settings
    const { user, tls } = settings
    if (tls !== undefined) writeKeystores(this.#folder, tls)
    if (user === undefined) return
    this.#folder.write('login.config', LOGIN)
    this.#folder.write('users.properties', `${user.name}=${user.password}\n`)
    this.#folder.write('certificates.properties', 'certified=CN=gateway\n')
    this.#folder.write('roles.properties', `users=${user.name},certified\n`)
  }

  static async start(settings: ArtemisSettings = {}): Promise<ArtemisServer> {
    const server = new ArtemisServer(await freePort(), await freePort(), settings)
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
        `-Djava.security.auth.login.config=${this.#folder.in('login.config')}`,
        ...program,
        ...[String(this.port), this.#folder.path, this.#settings.user === undefined ? 'open' : 'secured'],
        ...(this.#settings.tls === undefined ? [] : [String(this.securePort), KEYSTORE_PASSWORD]),
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
  const jars = fetchWithDependencies(`artemis-${VERSION}`, [
    `org.apache.activemq:artemis-server:${VERSION}`,
    `org.apache.activemq:artemis-amqp-protocol:${VERSION}`,
    `org.apache.activemq:artemis-openwire-protocol:${VERSION}`,
  ])
  const classes = join(CACHE, 'artemis-classes')
  compileJava(jdk, join(import.meta.dirname, 'Artemis.java'), { jars, classes })
  return [classes, jars]
}
