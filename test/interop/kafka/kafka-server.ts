// A real Apache Kafka from Maven Central: one node, broker and controller (KRaft), with its tools as independent clients.
import { spawnSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Authority } from '#test/certificates'
import { freePort } from '#test/nginx'
import { JavaProcess } from '../java-process.ts'
import { findJdk } from '../jdk.ts'
import { fetchWithDependencies } from '../maven.ts'

const VERSION = '4.3.1'
const CLUSTER_ID = 'aW50ZXJvcC1jbHVzdGVyLTE'
const START_TIMEOUT = 120_000

/** Bytes of a record batch that the broker accepts. */
export const MAX_MESSAGE_BYTES = 262_144
export const CREDENTIALS = { username: 'gateway', password: 'kafka-password' }

/** A record as the consumer of Kafka prints it. */
interface ConsumedRecord {
  readonly partition: number
  readonly key: string
  readonly value: string
}

export class KafkaServer implements AsyncDisposable {
  readonly authority = new Authority('Authority of Kafka')
  port = 0
  securePort = 0
  readonly #folder = mkdtempSync(join(tmpdir(), 'gateway-kafka-'))
  readonly #jdk = findJdk(17)
  readonly #jars = fetchWithDependencies(`kafka-${VERSION}`, [
    `org.apache.kafka:kafka_2.13:${VERSION}`,
    `org.apache.kafka:kafka-tools:${VERSION}`,
  ])
  #jvm: JavaProcess | null = null

  /** Writes the configuration and the storage of a new cluster, and starts it. */
  async create(): Promise<void> {
    const controllerPort = await freePort()
    ;[this.port, this.securePort] = [await freePort(), await freePort()]
    writeFileSync(this.#file('server.properties'), this.#properties(controllerPort))
    const scram = `SCRAM-SHA-512=[name=${CREDENTIALS.username},password=${CREDENTIALS.password}]`
    const storage = ['format', '-t', CLUSTER_ID, '-c', this.#file('server.properties'), '--add-scram', scram]
    this.#tool('kafka.tools.StorageTool', storage)
    await this.start()
  }

  async start(): Promise<void> {
    this.#jvm = new JavaProcess({
      jdk: this.#jdk,
      args: [
        '-Xmx384m',
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-cp',
        join(this.#jars, '*'),
        'kafka.Kafka',
        this.#file('server.properties'),
      ],
      cwd: this.#folder,
      env: {},
      log: this.#file('kafka.log'),
    })
    // The client listener is opened last.
    await this.#jvm.until(() => isListening(this.port), START_TIMEOUT)
  }

  /** Kills the broker with SIGKILL. */
  async kill(): Promise<void> {
    await this.#jvm?.kill()
  }

  async stop(): Promise<void> {
    await this.#jvm?.[Symbol.asyncDispose]()
  }

  /** `partition, key, value` of all records of a topic, at least `count`, read by Kafka's own consumer. */
  consume(topic: string, count: number): ConsumedRecord[] {
    let found: ConsumedRecord[] = []
    // On a busy machine the consumer may end before the broker has assigned its partitions.
    for (let attempt = 0; attempt < 5 && found.length < count; attempt++) found = this.#consume(topic)
    return found
  }

  #consume(topic: string): ConsumedRecord[] {
    const formats = ['print.key', 'print.partition'].flatMap((name) => ['--formatter-property', `${name}=true`])
    const from = [
      '--bootstrap-server',
      `127.0.0.1:${this.port}`,
      '--topic',
      topic,
      '--from-beginning',
      '--timeout-ms',
      '5000',
    ]
    const output = this.#tool('org.apache.kafka.tools.consumer.ConsoleConsumer', [...from, ...formats])
    return output
      .split('\n')
      .filter((line) => line.startsWith('Partition:'))
      .map((line) => {
        const [partition = '', key = '', ...value] = line.split('\t')
        return { partition: Number(partition.slice('Partition:'.length)), key, value: value.join('\t') }
      })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.authority[Symbol.dispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #file(name: string): string {
    return join(this.#folder, name)
  }

  #tool(main: string, args: readonly string[]): string {
    const { status, error, stdout, stderr } = spawnSync(
      join(this.#jdk, 'bin', 'java'),
      ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-cp', join(this.#jars, '*'), main, ...args],
      { cwd: this.#folder, encoding: 'utf8', timeout: 120_000, maxBuffer: 1 << 28 },
    )
    if (status !== 0) throw new Error(`${main}: ${error?.message ?? `${stdout}${stderr}`.slice(-3000)}`)
    return stdout
  }

  #properties(controllerPort: number): string {
    const { key, chain } = this.authority.issue({ name: 'kafka', altNames: 'IP:127.0.0.1,DNS:localhost' })
    const pem = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(this.#file('kafka.pem'), `${pem}${chain}`)
    const { username, password } = CREDENTIALS
    return [
      'process.roles=broker,controller',
      'node.id=1',
      `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
      `listeners=CONTROLLER://127.0.0.1:${controllerPort},PLAIN://127.0.0.1:${this.port},SECURE://127.0.0.1:${this.securePort}`,
      `advertised.listeners=PLAIN://127.0.0.1:${this.port},SECURE://127.0.0.1:${this.securePort}`,
      'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAIN:PLAINTEXT,SECURE:SASL_SSL',
      'inter.broker.listener.name=PLAIN',
      'controller.listener.names=CONTROLLER',
      `log.dirs=${this.#file('data')}`,
      'num.partitions=3',
      'offsets.topic.replication.factor=1',
      'transaction.state.log.replication.factor=1',
      'transaction.state.log.min.isr=1',
      'group.initial.rebalance.delay.ms=0',
      `message.max.bytes=${MAX_MESSAGE_BYTES}`,
      'ssl.keystore.type=PEM',
      `ssl.keystore.location=${this.#file('kafka.pem')}`,
      'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512',
      `listener.name.secure.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`,
      'listener.name.secure.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;',
    ].join('\n')
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
