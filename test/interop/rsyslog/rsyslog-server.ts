// Debian's rsyslogd with a configuration of its own: UDP, TCP and TLS inputs, messages written as JSON lines.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Authority, type Issued } from '#test/certificates'
import { freePort } from '#test/nginx'

const PROGRAM = '/usr/sbin/rsyslogd'
const START_TIMEOUT = 20_000
const STOP_TIMEOUT = 10_000

/** Why it can not run here, or false. */
export const rsyslogMissing: string | false =
  spawnSync(PROGRAM, ['-v']).status === 0
    ? false
    : 'rsyslogd is not installed; to have it: apt-get install rsyslog rsyslog-gnutls'

/** A message as rsyslog has parsed it. */
export interface ParsedMessage {
  readonly input: string
  readonly facility: string
  readonly severity: string
  readonly hostname: string
  readonly appName: string
  readonly messageId: string
  readonly structuredData: string
  readonly message: string
}

export class RsyslogServer implements AsyncDisposable {
  readonly authority = new Authority('Authority of rsyslog')
  readonly client: Issued = this.authority.issue({ name: 'gateway' })
  readonly ports = { UDP: 0, TCP: 0, TLS: 0 }
  readonly #folder = mkdtempSync(join(tmpdir(), 'gateway-rsyslog-'))
  #child: ChildProcess | null = null

  async create(): Promise<void> {
    for (const protocol of ['UDP', 'TCP', 'TLS'] as const) this.ports[protocol] = await freePort()
    writeFileSync(this.#file('rsyslog.conf'), this.#configuration())
    await this.start()
  }

  async start(): Promise<void> {
    const args = ['-n', '-f', this.#file('rsyslog.conf'), '-i', this.#file('rsyslogd.pid')]
    const child = spawn(PROGRAM, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.on('data', (text) => {
      output += text
    })
    this.#child = child
    const deadline = Date.now() + START_TIMEOUT
    while (!((await isListening(this.ports.TCP)) && (await isListening(this.ports.TLS)))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`rsyslogd does not listen: ${output}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /** Stops it with `signal`; with SIGKILL messages in memory are lost. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT)
    await exited
    clearTimeout(timer)
  }

  /** Messages with this text in their id, once `count` different ones have arrived. */
  async messages(prefix: string, count: number, timeout = 20_000): Promise<ParsedMessage[]> {
    const deadline = Date.now() + timeout
    for (;;) {
      const found = this.#read().filter(({ structuredData }) => structuredData.includes(` id="${prefix}`))
      if (new Set(found.map(({ structuredData }) => structuredData)).size >= count) return found
      if (Date.now() > deadline) throw new Error(`expected ${count} messages, found ${found.length}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.authority[Symbol.dispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #file(name: string): string {
    return join(this.#folder, name)
  }

  #read(): ParsedMessage[] {
    if (!existsSync(this.#file('messages'))) return []
    const lines = readFileSync(this.#file('messages'), 'utf8').split('\n')
    // The last line may be incomplete.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as ParsedMessage)
  }

  #configuration(): string {
    const server = this.authority.issue({ name: 'rsyslog', altNames: 'IP:127.0.0.1,DNS:localhost', keyType: 'rsa' })
    const properties = {
      input: 'inputname',
      facility: 'syslogfacility-text',
      severity: 'syslogseverity-text',
      hostname: 'hostname',
      appName: 'app-name',
      messageId: 'msgid',
      structuredData: 'structured-data',
      message: 'msg',
    }
    const members = Object.entries(properties).map(
      ([name, property]) => `property(outname="${name}" name="${property}" format="jsonf")`,
    )
    return `global(
  workDirectory="${this.#folder}"
  maxMessageSize="64k"
  defaultNetstreamDriverCAFile="${this.authority.certificateFile}"
  defaultNetstreamDriverCertFile="${server.certificateFile}"
  defaultNetstreamDriverKeyFile="${server.keyFile}"
)
module(load="imudp")
module(load="imptcp")
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="x509/certvalid")
input(type="imudp" address="127.0.0.1" port="${this.ports.UDP}" name="UDP" rcvbufSize="4m")
input(type="imptcp" address="127.0.0.1" port="${this.ports.TCP}" name="TCP")
input(type="imtcp" address="127.0.0.1" port="${this.ports.TLS}" name="TLS")
template(name="parsed" type="list" option.jsonf="on") {
  ${members.join('\n  ')}
}
action(type="omfile" file="${this.#file('messages')}" template="parsed" fileCreateMode="0600")
`
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
