import { UpstreamError, type UpstreamErrorCode } from '#client'
import { BodyTooLargeError, InternalCallTimeoutError } from '#http'
import { oneLine } from '#logging'
import { EtcdError } from './etcd-error.ts'
import { MalformedResponse } from './malformed-response.ts'
import { type Refusal, refusalIn } from './refusal.ts'
import { jsonObjectIn } from './watch-frames.ts'

/** Of a response, and of one object of a stream. Values are base64 in it, so that 6 MiB of them fit. */
export const MAX_RESPONSE_BYTES = 8_388_608
/** Longest quotation of the peer in a message. */
const MAX_QUOTED = 200

/** Failures before the first byte of the request was sent. */
const NOT_SENT: ReadonlySet<UpstreamErrorCode> = new Set([
  'GW_UPSTREAM_CONNECT',
  'GW_UPSTREAM_POOL_FULL',
  'GW_UPSTREAM_REQUEST',
  'GW_UPSTREAM_PROXY',
])

/** A refusal by a member, with what a caller inside of this folder decides by. */
export class MemberRefusal extends EtcdError {
  readonly renewsToken: boolean

  constructor(origin: string, { kind, message, uncertain, renewsToken }: Refusal, secrets: Secrets) {
    super(kind, `etcd ${origin}: ${quoted(message, secrets)}`, { endpoint: origin, uncertain })
    this.renewsToken = renewsToken
  }
}

/** Texts that a peer may know, but must not bring into a message. */
export type Secrets = readonly (string | null)[]

/** The error of a failed request to a member; others than those of a peer are returned as they are. */
export function failureOf(error: unknown, origin: string, callTimeout: number): unknown {
  if (error instanceof EtcdError) return error
  const maybe = { endpoint: origin, uncertain: true, cause: error }
  if (
    error instanceof InternalCallTimeoutError ||
    (error instanceof UpstreamError && error.code === 'GW_UPSTREAM_TIMEOUT')
  )
    return new EtcdError(
      'unavailable',
      `etcd ${origin}: expected a response within ${callTimeout} ms, got none; check the member and the network`,
      maybe,
    )
  if (error instanceof UpstreamError)
    return new EtcdError('unavailable', `etcd ${origin}: ${reasonOf(error)}`, {
      ...maybe,
      uncertain: !NOT_SENT.has(error.code),
    })
  if (error instanceof BodyTooLargeError)
    return new EtcdError(
      'too-large',
      `etcd ${origin}: expected at most ${MAX_RESPONSE_BYTES} bytes, got more; ask for fewer keys`,
      maybe,
    )
  if (error instanceof MalformedResponse)
    return new EtcdError(
      'unavailable',
      `etcd ${origin}: ${error.message}; check that the endpoint is the client URL of etcd 3.4 or newer`,
      maybe,
    )
  return error
}

/** The error of a response with another status than 200. */
export function refusedBy(origin: string, status: number, body: Uint8Array, secrets: Secrets): EtcdError {
  let refusal: Refusal | null = null
  try {
    refusal = refusalIn(jsonObjectIn(body))
  } catch (error) {
    if (!(error instanceof MalformedResponse)) throw error
  }
  if (refusal !== null) return new MemberRefusal(origin, refusal, secrets)
  return new EtcdError(
    'unavailable',
    `etcd ${origin}: expected a response of etcd's JSON gateway, got status ${status}; check the endpoint, and that etcd is 3.4 or newer with --enable-grpc-gateway`,
    // A proxy may answer 5xx after it has forwarded the request; 3xx and 4xx are those of a server that did not take it.
    { endpoint: origin, uncertain: status < 300 || status >= 500 },
  )
}

/** What was expected and found, without the advice, which is about handlers of routes. */
function reasonOf({ message, cause }: UpstreamError): string {
  const found = message.replace(/^upstream: |; .*$/g, '')
  return cause instanceof Error ? `${found} (${quoted(cause.message, [])})` : found
}

export function closedError(uncertain = false): EtcdError {
  return new EtcdError('unavailable', 'etcd: the client is closed', { uncertain })
}

function quoted(text: string, secrets: Secrets): string {
  let masked = text
  for (const secret of secrets) if (secret !== null && secret !== '') masked = masked.replaceAll(secret, '***')
  return oneLine(masked.slice(0, MAX_QUOTED))
}
