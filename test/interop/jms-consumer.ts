// A real JMS consumer: a Java program that prints the messages of a destination.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { findJdk } from './jdk.ts'
import { CACHE } from './maven.ts'

/** A message as the consumer printed it. */
export interface ConsumedMessage {
  readonly type: string
  readonly deliveryMode: string
  readonly correlationId: string
  readonly text: string
}

export interface ConsumerSettings {
  /** Jar files of the JMS client. */
  readonly jars: readonly string[]
  readonly contextFactory: string
  /** JNDI properties, with the names `factory` and `destination`. */
  readonly properties: Readonly<Record<string, string>>
  /** Name of a durable subscription. */
  readonly durable?: string
  /** Receives without limit, for brokers that can not drain the credit of a link. */
  readonly isPatient?: boolean
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class JmsConsumer implements AsyncDisposable {
  readonly messages: ConsumedMessage[] = []
  readonly #child: ChildProcess
  #isReady = false
  #errors = ''
  #onChange: (() => void) | null = null

  private constructor(child: ChildProcess) {
    this.#child = child
    running.add(child)
    child.on('exit', () => {
      running.delete(child)
      this.#onChange?.()
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk).slice(-4000)
    })
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line === 'ready') this.#isReady = true
      else this.messages.push(parse(line))
      this.#onChange?.()
    })
  }

  static async start({
    jars,
    contextFactory,
    properties,
    durable,
    isPatient = false,
  }: ConsumerSettings): Promise<JmsConsumer> {
    const jdk = findJdk(17)
    const classes = compile(jdk, jars)
    const args = [
      '-XX:TieredStopAtLevel=1',
      '-XX:+UseSerialGC',
      '-Xmx256m',
      ...(durable === undefined ? [] : [`-Ddurable=${durable}`]),
      ...(isPatient ? ['-Dpatient=true'] : []),
      ...['-cp', [classes, ...jars].join(delimiter), 'Consumer', contextFactory],
      ...Object.entries(properties).map(([name, value]) => `${name}=${value}`),
    ]
    const consumer = new JmsConsumer(spawn(join(jdk, 'bin', 'java'), args, { stdio: ['ignore', 'pipe', 'pipe'] }))
    await consumer.until(() => consumer.#isReady)
    return consumer
  }

  /** Waits for a state of the messages; throws if the program ends. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`the consumer ended:\n${this.#errors}`)
      }
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
  }

  /** Waits until every id has arrived, and returns their messages in order of first arrival. */
  async receives(ids: readonly string[]): Promise<ConsumedMessage[]> {
    const missing = new Set(ids)
    const firsts: ConsumedMessage[] = []
    let read = 0
    await this.until(() => {
      for (; read < this.messages.length; read++) {
        const message = this.messages[read] as ConsumedMessage
        if (missing.delete(message.correlationId)) firsts.push(message)
      }
      return missing.size === 0
    })
    return firsts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

function parse(line: string): ConsumedMessage {
  const [type = '', deliveryMode = '', correlationId = '', , text = ''] = line.split(' ')
  const units = Buffer.from(text, 'base64').swap16()
  return { type, deliveryMode, correlationId, text: units.toString('utf16le') }
}

/** Compiles the program once for each JMS API. */
function compile(jdk: string, jars: readonly string[]): string {
  const classes = join(CACHE, 'jms-consumer', Buffer.from(jars.join()).toString('base64url').slice(-40))
  mkdirSync(classes, { recursive: true })
  const source = join(import.meta.dirname, 'Consumer.java')
  const args = ['--release', '17', '-cp', jars.join(delimiter), '-d', classes, source]
  const { status, error, stderr } = spawnSync(join(jdk, 'bin', 'javac'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the consumer does not compile: ${error?.message ?? stderr}`)
  return classes
}
