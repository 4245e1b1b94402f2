import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acquireClient, type Client, UpstreamError } from '#client'
import type { TlsPlan } from '#contracts'
import {
  type BatchLimits,
  type QueuedRecord,
  RecordsDiscarded,
  SendDeferred,
  type Transport,
  type TransportEnv,
} from '#durable-queue'
import { Body, Headers, type InternalResponse, internalCall, internalExchange, Request, Uri } from '#http'
import { isPlainObject, type JsonObject, type JsonValue, parseJson } from '#json'
import { otlpAttributes } from '#telemetry'
import { RangeRefused, rangeEnds, sendHalvingRefused } from '../refused-range.ts'
import { clientTlsOf } from '../tls-plan.ts'
import { retryAfterOf } from './retry-after.ts'

/** An OTLP receiver, as plain data. Times are milliseconds. */
export interface OtlpPlan {
  /** Base URL; the path of the signal is added. */
  readonly endpoint: string
  /** Logs by default. */
  readonly signal?: OtlpSignal
  /** Whether `endpoint` has the path of the signal already. */
  readonly isWholeUrl?: boolean
  readonly batchLimits?: BatchLimits
  /** Header fields of each request, such as credentials. */
  readonly headers: readonly (readonly [string, string])[]
  readonly compression: 'none' | 'gzip'
  readonly connectTimeout: number
  /** Until the whole response has arrived. */
  readonly requestTimeout: number
  readonly resourceAttributes: Readonly<Record<string, JsonValue>>
  readonly tls: TlsPlan | null
}

/** A kind of telemetry. */
type OtlpSignal = 'logs' | 'traces' | 'metrics'

/** Members of requests and responses of each signal (opentelemetry-proto, JSON Protobuf encoding), and its path. */
const SIGNALS = {
  logs: {
    path: '/v1/logs',
    names: ['resourceLogs', 'scopeLogs', 'logRecords'],
    rejected: 'rejectedLogRecords',
    noun: 'log records',
  },
  traces: {
    path: '/v1/traces',
    names: ['resourceSpans', 'scopeSpans', 'spans'],
    rejected: 'rejectedSpans',
    noun: 'spans',
  },
  metrics: {
    path: '/v1/metrics',
    names: ['resourceMetrics', 'scopeMetrics', 'metrics'],
    rejected: 'rejectedDataPoints',
    noun: 'data points',
  },
} as const

const MAX_REQUEST_BYTES = 1_048_576
const MAX_REQUEST_RECORDS = 1_000
const MAX_RESPONSE_BYTES = 65_536
const MAX_RESPONSE_DEPTH = 16
/** Longest quotation of a response in messages. */
const MAX_REASON = 200

/** The receiver refuses the content of the request: the whole request is halved. Other statuses are not about records. */
const REFUSED = [400, 413, 422]

const NO_RECEIVER = 'the receiver answered with a web page; check endpoint'

const compress = promisify(gzip)

/** Exports one signal by OTLP/HTTP with JSON encoding. The text of a record is a LogRecord, a Span or a Metric. */
export function openOtlp(plan: OtlpPlan, env: TransportEnv): Transport {
  return new OtlpTransport(plan, env)
}

class OtlpTransport implements Transport {
  readonly batchLimits: BatchLimits | undefined
  readonly #plan: OtlpPlan
  readonly #env: TransportEnv
  readonly #signal: (typeof SIGNALS)[OtlpSignal]
  readonly #uri: Uri
  readonly #client: Client
  /** Text around the records of a request. */
  readonly #prefix: string
  readonly #suffix = ']}]}]}'
  /** Records that the receiver has rejected in partial successes, until the end of a call reports them. */
  #rejected = { count: 0, reason: '' }
  /** Monotonic time before which the receiver wants no request (Retry-After), and its response. */
  #deferral = { until: 0, reason: '' }

  constructor(plan: OtlpPlan, env: TransportEnv) {
    this.#plan = plan
    this.#env = env
    this.batchLimits = plan.batchLimits
    this.#signal = SIGNALS[plan.signal ?? 'logs']
    const { path, names } = this.#signal
    this.#uri = Uri.parse(plan.isWholeUrl === true ? plan.endpoint : `${plan.endpoint.replace(/\/+$/, '')}${path}`)
    const resource = JSON.stringify({ attributes: otlpAttributes(plan.resourceAttributes) })
    const scope = JSON.stringify({ name: plan.signal === undefined ? 'audit' : 'identity-gateway' })
    this.#prefix = `{"${names[0]}":[{"resource":${resource},"${names[1]}":[{"scope":${scope},"${names[2]}":[`
    this.#client = acquireClient({
      connections: 1,
      connectionTimeout: plan.connectTimeout,
      soTimeout: plan.requestTimeout,
      disableReuseConnection: false,
      connectionTimeToLive: Number.POSITIVE_INFINITY,
      maxWaitQueueSize: 1,
      tls: plan.tls === null ? null : clientTlsOf(plan.tls),
    })
  }

  async send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { until, reason: asked } = this.#deferral
    const wait = until - this.#env.clock.monotonic()
    if (wait > 0) throw new SendDeferred(wait, `${asked}; no request in the next ${Math.ceil(wait / 1_000)} s`)
    const sizes = records.map(({ text }) => Buffer.byteLength(text) + 1)
    let start = 0
    for (const end of rangeEnds(sizes, MAX_REQUEST_RECORDS, MAX_REQUEST_BYTES)) {
      await sendHalvingRefused(start, end, (from, to) => this.#export(records.slice(from, to), signal))
      start = end
    }
    const { count, reason } = this.#rejected
    this.#rejected = { count: 0, reason: '' }
    if (count > 0) throw new RecordsDiscarded(count, `the receiver rejected ${count} ${this.#signal.noun}: ${reason}`)
  }

  async close(): Promise<void> {
    await this.#client.release()
  }

  async #export(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    const text = `${this.#prefix}${records.map((record) => record.text).join(',')}${this.#suffix}`
    const response = await this.#call(text, signal)
    const { status } = response
    if (status >= 200 && status < 300) {
      // A web page: the endpoint is that of another server.
      if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) throw new Error(NO_RECEIVER)
      this.#countRejected(response, records.length)
      return
    }
    const reason = reasonIn(response)
    if (REFUSED.includes(status) && reason !== null)
      throw new RangeRefused(`the receiver answered ${status}: ${reason}`)
    const answer = `the receiver answered ${status}${reason === null ? ', which is no OTLP response' : `: ${reason}`}`
    const { clock } = this.#env
    this.#deferral = { until: clock.monotonic() + retryAfterOf(response.headers, clock.now()), reason: answer }
    throw new Error(answer)
  }

  async #call(text: string, signal: AbortSignal): Promise<InternalResponse> {
    const { compression, headers, requestTimeout } = this.#plan
    const content = Body.of(compression === 'gzip' ? await compress(text) : text)
    const fields = new Headers([
      ['Content-Type', 'application/json'],
      ['Content-Length', String(content.length)],
    ])
    if (compression === 'gzip') fields.set('Content-Encoding', 'gzip')
    for (const [name, value] of headers) fields.set(name, value)
    const exchange = internalExchange(new Request({ method: 'POST', uri: this.#uri, headers: fields, body: content }))
    const onAbort = () => exchange.abort(signal.reason)
    signal.addEventListener('abort', onAbort)
    try {
      signal.throwIfAborted()
      return await internalCall((sent) => this.#client.send(sent, sent.request), exchange, {
        timeout: requestTimeout,
        maxBytes: MAX_RESPONSE_BYTES,
      })
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof UpstreamError && error.cause instanceof Error ? error.cause : error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Records that the receiver rejected must not be sent again (OTLP specification, "Partial Success"). */
  #countRejected(response: InternalResponse, sent: number): void {
    const partial = jsonIn(response)?.['partialSuccess']
    if (!isPlainObject(partial)) return
    const rejected = Math.min(Number(partial[this.#signal.rejected] ?? 0), sent)
    if (!(rejected > 0)) return
    const reason = String(partial['errorMessage'] ?? 'no reason given').slice(0, MAX_REASON)
    this.#rejected = { count: this.#rejected.count + rejected, reason }
  }
}

function jsonIn({ headers, body }: InternalResponse): JsonObject | null {
  if (!/^application\/json\b/i.test(headers.get('content-type') ?? '')) return null
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body), { depth: MAX_RESPONSE_DEPTH })
    return isPlainObject(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

/**
 * The message of an OTLP Status; null for other responses. A proxy or a server of another protocol may respond 400 to
 * everything: its response must not discard events.
 */
function reasonIn(response: InternalResponse): string | null {
  const status = jsonIn(response)
  return status === null ? null : String(status['message'] ?? 'no reason given').slice(0, MAX_REASON)
}
