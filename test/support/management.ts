import type { Agent } from 'node:http'
import type { JsonObject } from '#json'
import { type ReceivedResponse, sendRequest } from './send-request.ts'

/** The collection of routes of the main router. */
export const ROUTES = '/api/system/objects/_router/routes'

/** Differences from a plain request to the management API. */
export interface Managing {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly agent?: Agent
}

/** A response of the management API. */
export interface Managed extends ReceivedResponse {
  /** Empty where the response is not a JSON object. */
  readonly json: JsonObject
}

/** A client of the management API at a URL without a path. */
export function managing(url: string, always: Managing = {}) {
  return async (method: string, path: string, one: Managing = {}): Promise<Managed> => {
    const body = one.body === undefined ? undefined : JSON.stringify(one.body)
    const sent = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const agent = one.agent ?? always.agent
    const answer = await sendRequest(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...sent,
        ...always.headers,
        ...one.headers,
      },
      ...(body !== undefined && { body }),
      ...(agent !== undefined && { agent }),
    })
    return { ...answer, json: answer.text.startsWith('{') ? (JSON.parse(answer.text) as JsonObject) : {} }
  }
}
