import { type ClientIdField, ClientIdFieldContext } from '#contracts'
import {
  Body,
  type Exchange,
  type Handler,
  Headers,
  type InternalResponse,
  internalCall,
  internalExchange,
  Request,
  Uri,
} from '#http'
import { checkProtocolResponse, type ResponseForm } from './protocol-response.ts'
import { ServerUnreachableError } from './server-unreachable-error.ts'

/** Responses of authorization servers are small; a larger one is faulty or hostile. */
const LARGEST_ANSWER = 1_048_576
const DEADLINE = 10_000

type Fetch = (url: string, options: FetchOptions) => Promise<globalThis.Response>

interface FetchOptions {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

interface FetchSettings {
  /** Milliseconds until the whole response must arrive. */
  readonly deadline?: number
  /** Accepted responses of the endpoint; any by default. */
  readonly form?: ResponseForm
  /** Set where the form has a `client_id` that may be removed. */
  readonly clientIdField?: ClientIdField | null
}

/** A `fetch` through a handler, so that its TLS, proxies, filters and limits apply. */
export function fetchBy(
  handler: Handler,
  onBehalfOf: Exchange | null,
  { deadline = DEADLINE, clientIdField = null, form }: FetchSettings = {},
): Fetch {
  return async (url, { method, headers, body }) => {
    const sent = new Headers(Object.entries(headers))
    const content = body === undefined || body === null ? Body.empty : Body.of(String(body))
    const exchange = internalExchange(
      new Request({ method, uri: Uri.parse(url), headers: sent, body: content }),
      onBehalfOf,
    )
    const sending = clientIdField === null ? exchange : exchange.with(ClientIdFieldContext, clientIdField)
    try {
      return fetchResponse(await internalCall(handler, sending, { timeout: deadline, maxBytes: LARGEST_ANSWER }), form)
    } catch (cause) {
      const { message } = cause as Error
      const options = cause instanceof ServerUnreachableError ? {} : { cause }
      // A login calls several endpoints: the log names the one that failed.
      throw new ServerUnreachableError(form === undefined ? message : `${placeOf(url)}: ${message}`, options)
    }
  }
}

/** A URL without its query. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function fetchResponse(
  { status, headers, body }: InternalResponse,
  form: ResponseForm | undefined,
): globalThis.Response {
  if (status < 200 || status > 599) throw new Error(`${status} is not the status of a final response`)
  if (form !== undefined) checkProtocolResponse(form, status, headers.get('content-type') ?? '', body)
  const empty = status === 204 || status === 205 || status === 304
  // An error response in JSON has its error in the body; the library would read the challenge instead.
  if (form === 'json') headers.delete('www-authenticate')
  return new globalThis.Response(empty ? null : Uint8Array.from(body), { status, headers: [...pairs(headers)] })
}

function* pairs(headers: Headers): Iterable<[string, string]> {
  const raw = headers.raw()
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] as string, raw[index + 1] as string]
}
