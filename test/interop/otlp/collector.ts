// A real OpenTelemetry Collector, built from the modules of the Go proxy: OTLP receiver, and an OTLP exporter to a server of the suite.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Authority } from '#test/certificates'
import { freePort } from '#test/nginx'
import { CACHE } from '../maven.ts'

/** As in collector/go.mod. */
const VERSION = 'v0.120.0'
const SOURCES = join(import.meta.dirname, 'collector')
const HOME = join(CACHE, `otelcol-${VERSION}`)
const START_TIMEOUT = 30_000
const STOP_TIMEOUT = 10_000

/** Why it can not be built here, or false. */
export const goMissing: string | false =
  spawnSync('go', ['version']).status === 0 ? false : 'go is not on the PATH; the collector can not be built'

/** A log record of the collector's output, with its attributes and the members of its body by name. */
export interface CollectedRecord {
  readonly timeUnixNano: string
  readonly severityText: string
  readonly traceId: string
  readonly attributes: ReadonlyMap<string, unknown>
  readonly body: ReadonlyMap<string, unknown>
  readonly resource: ReadonlyMap<string, unknown>
}

export class Collector implements AsyncDisposable {
  readonly authority = new Authority('Authority of the collector')
  port = 0
  securePort = 0
  readonly #folder = mkdtempSync(join(tmpdir(), 'gateway-otelcol-'))
  /** Receives the records that the collector exports. */
  readonly #sink = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      if (request.url === '/v1/logs') this.#exported.push(...recordsIn(text))
      this.#requests.push({ path: request.url ?? '', text })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  readonly #exported: CollectedRecord[] = []
  readonly #requests: { readonly path: string; readonly text: string }[] = []
  #child: ChildProcess | null = null

  async create(): Promise<void> {
    build()
    this.#sink.listen(0, '127.0.0.1')
    await once(this.#sink, 'listening')
    ;[this.port, this.securePort] = [await freePort(), await freePort()]
    writeFileSync(join(this.#folder, 'config.yaml'), this.#configuration())
    await this.start()
  }

  async start(): Promise<void> {
    const child = spawn(join(HOME, 'otelcol'), ['--config', `file:${join(this.#folder, 'config.yaml')}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (text) => {
      output = `${output}${text}`.slice(-4_000)
    })
    this.#child = child
    const deadline = Date.now() + START_TIMEOUT
    while (!(await isListening(this.securePort))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the collector does not listen: ${output}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT)
    await exited
    clearTimeout(timer)
  }

  /** Records whose id begins with `prefix`, once `count` different ones have arrived. */
  async records(prefix: string, count: number, timeout = 20_000): Promise<CollectedRecord[]> {
    const deadline = Date.now() + timeout
    const idOf = (record: CollectedRecord) => String(record.attributes.get('log.record.uid'))
    for (;;) {
      const found = this.#exported.filter((record) => idOf(record).startsWith(prefix))
      if (new Set(found.map(idOf)).size >= count) return found
      if (Date.now() > deadline) throw new Error(`expected ${count} records, found ${found.length}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /** Requests to a path that the collector has sent, once one has each of the texts. */
  async requests(path: string, texts: readonly string[], timeout = 20_000): Promise<string> {
    const deadline = Date.now() + timeout
    for (;;) {
      const sent = this.#requests.filter((each) => each.path === path).map(({ text }) => text)
      if (texts.every((text) => sent.some((each) => each.includes(text)))) return sent.join('\n')
      if (Date.now() > deadline)
        throw new Error(`expected ${texts.join(', ')} at ${path}, found ${sent.length} requests`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.#sink.closeAllConnections()
    this.#sink.close()
    this.authority[Symbol.dispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #configuration(): string {
    const { keyFile, certificateFile } = this.authority.issue({ name: 'collector', altNames: 'IP:127.0.0.1' })
    return JSON.stringify({
      receivers: {
        otlp: { protocols: { http: { endpoint: `127.0.0.1:${this.port}` } } },
        'otlp/secure': {
          protocols: {
            http: {
              endpoint: `127.0.0.1:${this.securePort}`,
              tls: { cert_file: certificateFile, key_file: keyFile, client_ca_file: this.authority.certificateFile },
            },
          },
        },
      },
      exporters: {
        otlphttp: {
          endpoint: `http://127.0.0.1:${(this.#sink.address() as AddressInfo).port}`,
          encoding: 'json',
          compression: 'none',
          // The receiver responds after the records were exported.
          sending_queue: { enabled: false },
        },
      },
      service: {
        telemetry: { metrics: { level: 'none' } },
        pipelines: Object.fromEntries(
          ['logs', 'traces', 'metrics'].map((signal) => [
            signal,
            { receivers: ['otlp', 'otlp/secure'], exporters: ['otlphttp'] },
          ]),
        ),
      },
    })
  }
}

function recordsIn(json: string): CollectedRecord[] {
  const { resourceLogs } = JSON.parse(json) as { resourceLogs: ResourceLogs[] }
  return resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ timeUnixNano, severityText, traceId, attributes, body }) => ({
        timeUnixNano,
        severityText,
        traceId,
        attributes: byName(attributes),
        body: byName(body.kvlistValue?.values),
        resource: byName(resource.attributes),
      })),
    ),
  )
}

type KeyValues = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]

interface ResourceLogs {
  readonly resource: { readonly attributes: KeyValues }
  readonly scopeLogs: readonly {
    readonly logRecords: readonly {
      readonly timeUnixNano: string
      readonly severityText: string
      readonly traceId: string
      readonly attributes: KeyValues
      readonly body: { readonly kvlistValue?: { readonly values: KeyValues } }
    }[]
  }[]
}

function byName(attributes: KeyValues = []): Map<string, unknown> {
  return new Map(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

/** Builds the collector once. */
function build(): void {
  if (existsSync(join(HOME, 'otelcol'))) return
  const aside = `${HOME}.building`
  rmSync(aside, { recursive: true, force: true })
  cpSync(SOURCES, aside, { recursive: true })
  console.log(`building the OpenTelemetry Collector ${VERSION}; this takes minutes`)
  const { status, error, stderr } = spawnSync('go', ['build', '-mod=mod', '-buildvcs=false', '-o', 'otelcol', '.'], {
    cwd: aside,
    encoding: 'utf8',
    timeout: 1_800_000,
    maxBuffer: 1 << 26,
  })
  if (status !== 0) throw new Error(`go build: ${error?.message ?? stderr.slice(-3_000)}`)
  renameSync(aside, HOME)
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
