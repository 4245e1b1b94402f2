import { type Agent, type IncomingHttpHeaders, request } from 'node:http'

/** What of a test's request differs from a plain GET on a connection of its own. */
export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
  readonly agent?: Agent
  /** The target as it goes on the wire, where it is not that of the URL. */
  readonly target?: string
  /** Gives the request up. */
  readonly signal?: AbortSignal
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly text: string
}

/** Sends a request without tidying its target, and gives the whole answer. */
export function ask(url: string, asking: Asking = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, agent, target, signal } = asking
  const { hostname, port } = new URL(url)
  const path = target ?? url.slice(url.indexOf('/', 'http://'.length))
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: agent ?? false, signal }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: received, rawHeaders } = response
        resolve({ status, headers: received, rawHeaders, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
