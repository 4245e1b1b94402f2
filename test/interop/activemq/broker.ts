// A real ActiveMQ broker of Debian's package, with its configuration and data in a folder of its own.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Folder } from '#test/folder'
import { freePort } from '#test/nginx'
import { JavaProcess } from '../java-process.ts'
import { findJdk } from '../jdk.ts'
import { type BrokerTls, KEYSTORE_PASSWORD, writeKeystores } from '../keystores.ts'

const HOME = '/usr/share/activemq'
const START_TIMEOUT = 120_000

/** Why no broker can be started here, or false. */
export const activeMqMissing: string | false = existsSync(join(HOME, 'bin', 'activemq.jar'))
  ? false
  : 'ActiveMQ is not installed; to have it: apt-get install activemq libactivemq-java'

export const VERSION = /\n {2}Installed: (\S+)/.exec(
  spawnSync('apt-cache', ['policy', 'activemq'], { encoding: 'utf8', env: { ...process.env, LANG: 'C' } }).stdout ?? '',
)?.[1]

export interface BrokerSettings {
  /** Options of the connector for TCP: `wireFormat.version=9`. */
  readonly options?: string
  readonly users?: Readonly<Record<string, string>>
  readonly tls?: BrokerTls
  /** Bytes of messages of one destination in memory; producers are blocked beyond it. */
  readonly memoryLimit?: number
  /** Rejects messages beyond the total memory limit instead. */
  readonly failIfNoSpace?: boolean
}

export class ActiveMqBroker implements AsyncDisposable {
  readonly port: number
  readonly securePort: number
  readonly #folder = new Folder()
  readonly #settings: BrokerSettings
  #jvm: JavaProcess | null = null

  private constructor(port: number, securePort: number, settings: BrokerSettings) {
    this.port = port
    this.securePort = securePort
    this.#settings = settings
  }

  static async start(settings: BrokerSettings = {}): Promise<ActiveMqBroker> {
    const broker = new ActiveMqBroker(await freePort(), await freePort(), settings)
    broker.#configure()
    await broker.restart()
    return broker
  }

  get peakMemory(): number {
    return this.#jvm?.peakMemory ?? 0
  }

  /** Ends the process with SIGKILL. */
  async kill(): Promise<void> {
    await this.#jvm?.kill()
  }

  /** Ends the process gracefully. */
  async stop(): Promise<void> {
    await this.#jvm?.[Symbol.asyncDispose]()
  }

  /** Starts a process with the data of the one before. */
  async restart(): Promise<void> {
    const { path } = this.#folder
    this.#jvm = new JavaProcess({
      jdk: findJdk(17),
      args: [
        '-Xmx384m',
        '-XX:TieredStopAtLevel=1',
        '-XX:+UseSerialGC',
        `-Dactivemq.home=${HOME}`,
        `-Dactivemq.base=${path}`,
        `-Dactivemq.conf=${path}`,
        `-Dactivemq.data=${path}`,
        `-Dlog4j.configuration=file:${join(path, 'log4j.properties')}`,
        `-Djava.io.tmpdir=${path}`,
        '-jar',
        join(HOME, 'bin', 'activemq.jar'),
        'start',
        `xbean:file:${join(path, 'activemq.xml')}`,
      ],
      cwd: path,
      env: {},
      log: join(path, 'activemq.out'),
    })
    await this.#jvm.until(() => isListening(this.port), START_TIMEOUT)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jvm?.[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }

  #configure(): void {
    const { tls } = this.#settings
    if (tls !== undefined) writeKeystores(this.#folder, tls)
    this.#folder.write(
      'log4j.properties',
      'log4j.rootLogger=INFO, out\nlog4j.appender.out=org.apache.log4j.ConsoleAppender\nlog4j.appender.out.layout=org.apache.log4j.PatternLayout\nlog4j.appender.out.layout.ConversionPattern=%d %p %c{1} %m%n\n',
    )
    this.#folder.write('activemq.xml', this.#xml())
  }

  #xml(): string {
    const { options = '', users, tls, memoryLimit, failIfNoSpace = false } = this.#settings
    const path = this.#folder.path
    const secureUri = `ssl://127.0.0.1:${this.securePort}?needClientAuth=true`
    const user = ([name, password]: [string, string]): string =>
      `<authenticationUser username="${name}" password="${password}" groups="users"/>`
    return `<beans xmlns="http://www.springframework.org/schema/beans" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.springframework.org/schema/beans http://www.springframework.org/schema/beans/spring-beans.xsd
  http://activemq.apache.org/schema/core http://activemq.apache.org/schema/core/activemq-core.xsd">
  <broker xmlns="http://activemq.apache.org/schema/core" brokerName="interop" useJmx="false" useShutdownHook="true" dataDirectory="${path}">
    <destinationPolicy><policyMap><policyEntries>
      ${memoryLimit === undefined ? '' : `<policyEntry queue=">" producerFlowControl="true" memoryLimit="${memoryLimit}"><pendingQueuePolicy><vmQueueCursor/></pendingQueuePolicy></policyEntry>`}
      <policyEntry topic=">" producerFlowControl="true"/>
    </policyEntries></policyMap></destinationPolicy>
    <persistenceAdapter><kahaDB directory="${join(path, 'kahadb')}"/></persistenceAdapter>
    ${users === undefined ? '' : `<plugins><simpleAuthenticationPlugin><users>${Object.entries(users).map(user).join('')}</users></simpleAuthenticationPlugin></plugins>`}
    ${tls === undefined ? '' : `<sslContext><sslContext keyStore="file:${join(path, 'keys.p12')}" keyStorePassword="${KEYSTORE_PASSWORD}" trustStore="file:${join(path, 'trust.p12')}" trustStorePassword="${KEYSTORE_PASSWORD}"/></sslContext>`}
    ${failIfNoSpace ? '<systemUsage><systemUsage sendFailIfNoSpace="true"><memoryUsage><memoryUsage limit="1 mb"/></memoryUsage></systemUsage></systemUsage>' : ''}
    <transportConnectors>
      <transportConnector name="openwire" uri="tcp://127.0.0.1:${this.port}?${options.replaceAll('&', '&amp;')}"/>
      ${tls === undefined ? '' : `<transportConnector name="ssl" uri="${secureUri}"/>`}
    </transportConnectors>
  </broker>
</beans>
`
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('data', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('close', () => settle(false))
    const settle = (found: boolean): void => {
      resolve(found)
      socket.destroy()
    }
  })
}
