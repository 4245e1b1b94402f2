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
import { type AnswerForm, checkProtocolAnswer } from './protocol-response.ts'
import { ServerUnreachableError } from './server-unreachable-error.ts'

/** Answers of authorization servers are small; one that sends more is broken or hostile. */
const LARGEST_ANSWER = 1_048_576
const DEADLINE = 10_000

type Fetch = (url: string, options: FetchOptions) => Promise<globalThis.Response>

interface FetchOptions {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

interface FetchSettings {
  /** Milliseconds for the whole answer. */
  readonly deadline?: number
  /** What the endpoint may answer with; anything where it is left out. */
  readonly form?: AnswerForm
  /** Set where the form names the client by a `client_id` that may be taken out. */
  readonly clientIdField?: ClientIdField | null
}

/** Sends the requests of the protocol through a handler, so that its TLS, proxies, filters and limits hold. */
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
      if (cause instanceof ServerUnreachableError) throw cause
      throw new ServerUnreachableError((cause as Error).message, { cause })
    }
  }
}

function fetchResponse({ status, headers, body }: InternalResponse, form: AnswerForm | undefined): globalThis.Response {
  if (status < 200 || status > 599) throw new Error(`${status} is not the status of a final response`)
  if (form !== undefined) checkProtocolAnswer(form, status, headers.get('content-type') ?? '', body)
  const empty = status === 204 || status === 205 || status === 304
  // Of a refusal in JSON the body says the error; the library would look at the challenge instead.
  if (form === 'json') headers.delete('www-authenticate')
  return new globalThis.Response(empty ? null : Uint8Array.from(body), { status, headers: [...pairs(headers)] })
}

function* pairs(headers: Headers): Iterable<[string, string]> {
  const raw = headers.raw()
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] as string, raw[index + 1] as string]
}
