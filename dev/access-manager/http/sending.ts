import type { ServerResponse } from 'node:http'
import type { EndpointResponse } from './endpoint-response.ts'

/** Writes a response; `close` ends the connection after it. */
export function send(
  response: ServerResponse,
  { status, headers = {}, body }: EndpointResponse,
  { close = false } = {},
): void {
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, typeof value === 'string' ? value : [...value])
  if (close) response.setHeader('Connection', 'close')
  if (body !== null && typeof body === 'object' && !response.hasHeader('content-type'))
    response.setHeader('Content-Type', 'application/json;charset=UTF-8')
  const text = body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status).end(text)
}
