import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { within } from './waiting.ts'

/** Differences from a plain GET on a new connection. */
export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
  readonly agent?: Agent
  /** The request target, where it is not that of the URL. */
  readonly target?: string
  /** Aborts the request. */
  readonly signal?: AbortSignal
}

/** A complete response. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly text: string
}

/** Sends a request without normalizing its target, and returns the complete response. */
export function sendRequest(url: string, options: RequestOptions = {}): Promise<ReceivedResponse> {
  const { method = 'GET', headers = {}, body, agent, target, signal } = options
  const { hostname, port } = new URL(url)
  const path = target ?? url.slice(url.indexOf('/', 'http://'.length))
  const received = new Promise<ReceivedResponse>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: agent ?? false, signal }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: responseHeaders, rawHeaders } = response
        resolve({ status, headers: responseHeaders, rawHeaders, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
  return within(`the response to ${method} ${url}`, received)
}
