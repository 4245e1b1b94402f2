import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { httpUpstream, type Upstream } from './upstream.ts'
import { waitUntil } from './waiting.ts'

/** A span of OTLP with its attributes as a plain object. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly flags: number
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code: number }
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly resource: Readonly<Record<string, string | number | boolean>>
}

export const INTERNAL = 1
export const SERVER = 2
export const CLIENT = 3

/** A receiver of OTLP over HTTP with JSON, as a collector has one: it validates what it gets. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = []
  /** Bodies by path. */
  readonly bodies: { readonly path: string; readonly body: Record<string, unknown> }[] = []
  readonly headers: Record<string, unknown>[] = []
  /** Faults of payloads. */
  readonly faults: string[] = []
  /** Responds in place of the receiver; true where it has. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
  readonly #server: Upstream

  private constructor(server: Upstream) {
    this.#server = server
  }

  static async start(): Promise<OtlpReceiver> {
    const server: Upstream = await httpUpstream((request, response) => receiver.#serve(request, response))
    const receiver = new OtlpReceiver(server)
    return receiver
  }

  get url(): string {
    return this.#server.url
  }

  /** Waits for a span. */
  async span(matches: (span: ReceivedSpan) => boolean, what = 'a span'): Promise<ReceivedSpan> {
    await waitUntil(`${what} arrived`, () => this.spans.some(matches))
    assert.deepEqual(this.faults, [])
    return this.spans.find(matches) as ReceivedSpan
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (this.intercept(request, response)) return
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      this.headers.push(request.headers)
      try {
        const body = JSON.parse(text.toString()) as Record<string, unknown>
        this.bodies.push({ path: request.url ?? '', body })
        if (request.url?.endsWith('/v1/traces') === true) this.#takeSpans(body)
      } catch (error) {
        this.faults.push(String(error))
      }
      response.setHeader('Content-Type', 'application/json').end('{"partialSuccess":{}}')
    })
  }

  #takeSpans(body: Record<string, unknown>): void {
    for (const { resource, scopeSpans } of body['resourceSpans'] as never[] as {
      resource: { attributes: OtlpAttribute[] }
      scopeSpans: { scope: { name: string }; spans: (ReceivedSpan & { attributes: OtlpAttribute[] })[] }[]
    }[]) {
      for (const { spans } of scopeSpans) {
        for (const span of spans) {
          validate(span)
          this.spans.push({
            ...span,
            attributes: plainAttributes(span.attributes as never),
            resource: plainAttributes(resource.attributes),
          })
        }
      }
    }
  }
}

interface OtlpAttribute {
  readonly key: string
  readonly value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean }
}

/** Attributes of OTLP as a plain object. */
export function plainAttributes(attributes: readonly OtlpAttribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, intValue, doubleValue, boolValue } = value
      const found = stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue))
      assert.notEqual(found, undefined, `attribute ${key} has no value`)
      return [key, found as string]
    }),
  )
}

function validate({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startTimeUnixNano: start,
  endTimeUnixNano: end,
}: ReceivedSpan) {
  assert.match(traceId, /^(?!0+$)[0-9a-f]{32}$/)
  assert.match(spanId, /^(?!0+$)[0-9a-f]{16}$/)
  if (parentSpanId !== undefined) assert.match(parentSpanId, /^(?!0+$)[0-9a-f]{16}$/)
  assert.ok(name.length > 0 && [INTERNAL, SERVER, CLIENT].includes(kind))
  assert.match(start, /^\d{19}$/)
  assert.match(end, /^\d{19}$/)
  assert.ok(BigInt(end) >= BigInt(start), `${name} ends before it begins`)
}
