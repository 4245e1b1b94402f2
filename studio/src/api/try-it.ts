import type { TraceStep } from '../../../src/contracts/request-trace.ts'
import { headerLists } from '../model/header-lines.ts'
import { call } from './client.ts'
import { routesPath } from './routes.ts'

/** A request that is composed: headers as lines `Name: value`. */
export interface SampleRequest {
  readonly method: string
  readonly uri: string
  readonly headers: string
  readonly body: string
}

/** The request that expressions are tried for at first. */
export const FIRST_SAMPLE: SampleRequest = { method: 'GET', uri: '/', headers: '', body: '' }

/** A route that was tried for a request. */
interface TriedRoute {
  readonly router: string
  readonly id: string
  readonly condition: string | null
  readonly value?: unknown
  readonly error?: string
}

/** What would happen to a request. */
export interface Explanation {
  /** Why the listener would refuse the request. */
  readonly refused: { readonly status?: number; readonly reason?: string; readonly message?: string } | null
  readonly tried: readonly TriedRoute[]
  readonly route: string | null
  readonly chain: readonly { readonly name: string | null; readonly type: string; readonly qualifiedName: string }[]
}

export type { TraceStep }

/** The response to a request that was sent, and its way. */
export interface Trace {
  readonly response: {
    readonly status: number
    readonly reason: string
    readonly headers: Readonly<Record<string, readonly string[]>>
    readonly entity: string
    readonly encoding?: 'base64'
    readonly truncated: boolean
  }
  readonly route: string | null
  readonly transactionId: string | null
  readonly elapsed: number | null
  readonly steps: readonly TraceStep[]
}

export async function explain(router: string, request: SampleRequest): Promise<Explanation> {
  return call(`${routesPath(router)}?_action=explain`, { body: messageOf(request) })
}

/** The value of an expression for a request, or the error of its evaluation. */
export interface Evaluation {
  readonly value?: unknown
  readonly type?: string
  readonly truncated?: boolean
  readonly error?: { readonly message: string; readonly column?: number }
}

/** Evaluates an expression for a sample request, with the properties of a route or, without one, of the router. */
export async function evaluate(
  router: string,
  route: string | null,
  expression: string,
  request: SampleRequest,
  signal?: AbortSignal,
): Promise<Evaluation> {
  return call(`${routesPath(router)}?_action=evaluate`, {
    body: { expression, ...(route === null ? {} : { route }), request: messageOf(request), response: SAMPLE_RESPONSE },
    ...(signal === undefined ? {} : { signal }),
  })
}

/** For expressions that read the response. */
const SAMPLE_RESPONSE = { status: 200 }

/** A name that fits in a place of an expression. */
export interface NameOption {
  readonly name: string
  readonly kind: 'binding' | 'function' | 'property' | 'method'
  readonly detail?: string
}

/** Names that fit at an offset, in place of the text after `from`. */
export interface Completions {
  readonly from: number
  readonly options: readonly NameOption[]
}

/** Names that fit in an unfinished expression; after a dot, the members of its value for a sample request. */
export async function complete(
  router: string,
  route: string | null,
  expression: string,
  offset: number,
  request: SampleRequest,
): Promise<Completions> {
  return call(`${routesPath(router)}?_action=complete`, {
    body: {
      expression,
      offset,
      ...(route === null ? {} : { route }),
      request: messageOf(request),
      response: SAMPLE_RESPONSE,
    },
  })
}

export async function send(request: SampleRequest): Promise<Trace> {
  return call('api/monitor/trace?_action=send', { body: messageOf(request) })
}

function messageOf({ method, uri, headers, body }: SampleRequest): object {
  return { method, uri, headers: headerLists(headers), ...(body === '' ? {} : { entity: body }) }
}
