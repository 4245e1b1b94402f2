import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject } from '#json'
import { httpUpstream } from './upstream.ts'

/** An authorization server of a test with configurable tokens and responses. */
export interface IntrospectionServer extends AsyncDisposable {
  readonly url: string
  readonly endpoint: string
  /** The introspection results by token; unknown ones are not active. */
  readonly tokens: Map<string, JsonObject>
  /** The introspected tokens, in order. */
  readonly asked: string[]
  /** The complete requests, in order. */
  readonly requests: {
    readonly method: string
    readonly target: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  /** Handles requests instead of the server while it is set. */
  answer: ((response: ServerResponse, token: string) => void) | null
}

/** Opens a server on a free loopback port. */
export async function introspectionServer(): Promise<IntrospectionServer> {
  const tokens = new Map<string, JsonObject>()
  const asked: string[] = []
  const requests: IntrospectionServer['requests'] = []
  const upstream = await httpUpstream((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const { method = '', url: target = '', headers } = request
      requests.push({ method, target, headers, body })
      const token =
        new URLSearchParams(body).get('token') ?? new URL(target, 'http://a').searchParams.get('access_token')
      asked.push(token ?? '')
      if (server.answer !== null) server.answer(response, token ?? '')
      else answerJson(response, 200, tokens.get(token ?? '') ?? { active: false })
    })
  })
  const server: IntrospectionServer = {
    url: upstream.url,
    endpoint: `${upstream.url}/introspect`,
    tokens,
    asked,
    requests,
    answer: null,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
  return server
}

/** Sends a JSON response. */
export function answerJson(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content))
}
