import { haproxyFront } from './haproxy.ts'

/** A path prefix whose tokens are verified by an algorithm with the public key in a file. */
export interface TokenPath {
  readonly path: string
  readonly algorithm: string
  readonly keyFile: string
}

/**
 * The peer: one thread, keep-alive connections, and the validation of a bearer token from HAProxy's manual: algorithm,
 * signature, issuer, audience, time and one scope. Other paths are forwarded without validation.
 */
export function haproxyJwtConfig(
  port: number,
  upstreamPort: number,
  { issuer, audience, scope }: { readonly issuer: string; readonly audience: string; readonly scope: string },
  judged: readonly TokenPath[],
): string {
  const rules = judged.flatMap(({ path, algorithm, keyFile }) => [
    `acl ${algorithm} path_beg ${path}`,
    ...[
      `{ var(txn.bearer),jwt_header_query('$.alg') -m str ${algorithm} }`,
      `{ var(txn.bearer),jwt_verify(txn.alg,"${keyFile}") 1 }`,
      `{ var(txn.bearer),jwt_payload_query('$.iss') -m str ${issuer} }`,
      `{ var(txn.bearer),jwt_payload_query('$.aud') -m str ${audience} }`,
      `{ var(txn.bearer),jwt_payload_query('$.scope') -m sub ${scope} }`,
    ].flatMap((condition, at) => [
      ...(at === 0
        ? [
            `http-request set-var(txn.bearer) http_auth_bearer if ${algorithm}`,
            `http-request set-var(txn.alg) str(${algorithm}) if ${algorithm}`,
          ]
        : []),
      `http-request deny deny_status 401 if ${algorithm} !${condition}`,
    ]),
    `http-request set-var(txn.exp) var(txn.bearer),jwt_payload_query('$.exp','int') if ${algorithm}`,
    `http-request set-var(txn.now) date() if ${algorithm}`,
    `http-request deny deny_status 401 if ${algorithm} { var(txn.exp),sub(txn.now) -m int lt 1 }`,
  ])
  return haproxyFront(port, upstreamPort, rules)
}
