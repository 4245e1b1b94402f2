import type { IncomingHttpHeaders } from 'node:http'
import { httpUpstream } from './upstream.ts'

/** A request received by a token endpoint. */
export interface TokenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly form: URLSearchParams
  readonly text: string
}

/** A response: a status with a JSON value or a text. */
export interface TokenResponse {
  readonly status?: number
  readonly json?: unknown
  readonly text?: string
  readonly headers?: Record<string, string>
}

/** A token endpoint of a test, which records its requests. */
export async function tokenEndpoint(
  reply: (tokenRequest: TokenRequest, count: number) => TokenResponse | Promise<TokenResponse>,
) {
  const requests: TokenRequest[] = []
  const upstream = await httpUpstream(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += (chunk as Buffer).toString('latin1')
    const { method = '', url = '', headers } = request
    const tokenRequest = { method, path: url, headers, form: new URLSearchParams(text), text }
    requests.push(tokenRequest)
    const { status = 200, json, text: content, headers: more } = await reply(tokenRequest, requests.length)
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    response.end(content ?? JSON.stringify(json))
  })
  return {
    url: `${upstream.url}/oauth2/token`,
    requests,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}
