import { type Collection, commonRest, type Description, type Endpoint } from '#crest'
import type { Handler } from '#http'
import type { JsonObject, JsonValue } from '#json'
import { exchangeFor } from './exchange.ts'
import { memoryCollection } from './memory-collection.ts'

/** Description of the collection of these tests. */
export const description: Description = {
  id: 'test:things',
  title: 'Things',
  description: 'Things of a test.',
  version: '1.0',
  schema: { type: 'object', properties: { name: { type: 'string' } } },
  media: { photo: ['image/png', 'text/plain'] },
}

/** Headers and body of a request. */
export interface RequestContent {
  readonly headers?: Record<string, string | readonly string[]>
  readonly body?: JsonValue
  /** A body that is sent unchanged, with a Content-Type only if the headers have one. */
  readonly raw?: string | Uint8Array
}

/** A complete response. */
export interface ClientResponse {
  readonly status: number
  readonly json: JsonObject
  readonly text: string
  readonly header: (name: string) => string | null
}

/** A client of an endpoint that is called without a network. */
export function client(
  handler: Handler,
): (method: string, path: string, content?: RequestContent) => Promise<ClientResponse> {
  return async (method, path, { headers = {}, body, raw } = {}) => {
    const sent = body === undefined ? raw : JSON.stringify(body)
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const exchange = exchangeFor(method, `http://localhost${path}`, {
      headers: { ...type, ...headers },
      ...(sent !== undefined && { body: sent }),
    })
    const response = await handler(exchange)
    const text = Buffer.from(await response.body.read(1e8)).toString('utf8')
    let json = {}
    if (response.headers.get('content-type')?.startsWith('application/json')) json = JSON.parse(text)
    return { status: response.status, json, text, header: (name) => response.headers.get(name) }
  }
}

/** A client of an in-memory collection with all operations, at `/things`. */
export function things(more: Partial<Collection> = {}, own: Partial<Description> = {}) {
  const collection: Endpoint = { ...memoryCollection({ ...description, ...own }), ...more }
  return client(commonRest(collection, { base: '/things' }))
}

/** The same with resources in it. */
export async function filled(...resources: JsonObject[]) {
  const send = things()
  for (const { _id: id, ...content } of resources) await send('PUT', `/things/${id}`, { body: content })
  return send
}

/** The revision of the resource in a response. */
export const revisionOf = ({ json }: ClientResponse) => json['_rev'] as string
