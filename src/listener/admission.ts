import { effectiveUri, type Uri } from '#http'
import type { ListenerContext } from './listener-context.ts'
import { isKnownMethod } from './method.ts'
import type { Peer } from './peer.ts'
import { type Refusal, UNKNOWN_METHOD } from './refusal.ts'
import { type RequestHead, readHead } from './request-head.ts'
import type { ListenerSettings } from './settings.ts'

/** The parts of a request head in HTTP/1.1, as parsed. */
export interface ParsedHead {
  readonly method: string
  readonly target: string
  /** Such as `1.1`. */
  readonly version: string
  readonly fields: readonly string[]
}

const EXPECTS_CONTINUE = /^[ \t]*100-continue[ \t]*(?:,[ \t]*100-continue[ \t]*)*$/i

/** A validated, unambiguous request. */
export interface AdmittedRequest {
  readonly method: string
  readonly version: string
  readonly uri: Uri
  readonly head: RequestHead
}

/** Validates a request head: framing, method, target, size. */
export function admit(
  { method, target, version, fields: list }: ParsedHead,
  peer: Peer,
  { settings, fields }: Pick<ListenerContext, 'settings' | 'fields'>,
): AdmittedRequest | Refusal {
  if (version !== '1.1' && version !== '1.0') return { status: 505, problem: 'an HTTP version other than 1.x' }
  if (!isKnownMethod(method)) return { status: 501, problem: UNKNOWN_METHOD }
  const head = readHead(list, fields, peer.trust, version)
  if ('problem' in head) return head
  const { expect } = head
  // RFC 9110 section 10.1.1: ignored in HTTP/1.0.
  if (expect !== null && version === '1.1' && !EXPECTS_CONTINUE.test(expect)) {
    return { status: 417, problem: 'an expectation other than 100-continue' }
  }
  return admitHead(method, version, target, head, peer, settings)
}

/** The checks that all versions of HTTP share. */
export function admitHead(
  method: string,
  version: string,
  requestTarget: string,
  head: RequestHead,
  peer: Peer,
  settings: ListenerSettings,
): AdmittedRequest | Refusal {
  // RFC 9110 section 9.3.8: TRACE would expose fields added by filters.
  if (method === 'TRACE' || method === 'CONNECT') return { status: 405, problem: `the method ${method}` }
  const target = effectiveUri(requestTarget, head.hosts, peer.scheme, method)
  if ('problem' in target) return { status: 400, problem: target.problem }
  const limit = bodyLimit(settings)
  if (head.bodyLength > limit) {
    return { status: 413, problem: `a Content-Length of ${head.bodyLength} bytes, over the limit of ${limit}` }
  }
  return { method, version, uri: target.uri, head }
}

function bodyLimit({ maxBodyBytes = Number.POSITIVE_INFINITY, streaming, storage }: ListenerSettings): number {
  return streaming ? maxBodyBytes : Math.min(maxBodyBytes, storage.limit)
}
