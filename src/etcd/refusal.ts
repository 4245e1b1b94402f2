import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { EtcdErrorKind } from './etcd-error.ts'

/** An error that etcd, or the JSON gateway in it, answered. */
export interface Refusal {
  readonly kind: EtcdErrorKind
  readonly message: string
  /** Whether a write may have been applied. */
  readonly uncertain: boolean
  /** Whether a new token may help: it has expired, was issued by a member that restarted, or is missing. */
  readonly renewsToken: boolean
}

type Meaning = readonly [pattern: RegExp, kind: EtcdErrorKind, flags?: { uncertain?: boolean; renewsToken?: boolean }]

/** Texts of etcd 3.4 to 3.6 (`rpctypes/error.go`); codes alone do not tell a full database from a large request. */
const MEANINGS: readonly Meaning[] = [
  [/invalid auth token|revision of auth store is old|user name is empty/, 'authentication', { renewsToken: true }],
  [/invalid user ID or password/, 'authentication'],
  [/permission denied/, 'denied'],
  [/database space exceeded/, 'no-space', { uncertain: true }],
  [/required revision has been compacted/, 'compacted'],
  [/required revision is a future revision/, 'future-revision'],
  [/requested lease not found/, 'lease-not-found'],
  [/request is too large|message larger than max|too many operations in txn/, 'too-large'],
  // Refused before a proposal is made: the write did not happen.
  [/too many requests|no leader|not capable|not supported for learner/, 'unavailable'],
  [/not leader/, 'unavailable', { uncertain: true }],
]

/** Codes of gRPC that a server answers before it changes anything. */
const REFUSED_CODES: ReadonlySet<number> = new Set([
  3, // INVALID_ARGUMENT
  5, // NOT_FOUND
  6, // ALREADY_EXISTS
  9, // FAILED_PRECONDITION
  11, // OUT_OF_RANGE
  12, // UNIMPLEMENTED
])
const PERMISSION_DENIED = 7
const UNAUTHENTICATED = 16

/** The meaning of a code and text of gRPC. */
export function refusalOf(code: number | null, message: string): Refusal {
  const known = MEANINGS.find(([pattern]) => pattern.test(message))
  if (known !== undefined) {
    const [, kind, { uncertain = false, renewsToken = false } = {}] = known
    return { kind, message, uncertain, renewsToken }
  }
  if (code === UNAUTHENTICATED) return { kind: 'authentication', message, uncertain: false, renewsToken: true }
  if (code === PERMISSION_DENIED) return { kind: 'denied', message, uncertain: false, renewsToken: false }
  if (code !== null && REFUSED_CODES.has(code))
    return { kind: 'invalid', message, uncertain: false, renewsToken: false }
  return { kind: 'unavailable', message, uncertain: true, renewsToken: false }
}

/**
 * The refusal in a response body, null without one: `{"error":text,"message":text,"code":n}` (3.4, 3.5),
 * `{"code":n,"message":text,"details":[]}` (3.6), and in streams `{"error":{"grpc_code":n,"message":text}}` (3.4) or
 * `{"error":{"code":n,"message":text}}`.
 */
export function refusalIn(body: JsonObject): Refusal | null {
  const error = body['error']
  const status = isPlainObject(error) ? (error as JsonObject) : body
  const code = codeOf(status['grpc_code'] ?? status['code'])
  const message = status['message'] ?? (typeof error === 'string' ? error : undefined)
  if (code === null && error === undefined) return null
  return refusalOf(code, typeof message === 'string' ? message : 'no reason given')
}

function codeOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null
}
