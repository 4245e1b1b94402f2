// A valid token of every kind, as the issuers that are named write it.
import { json, type Members } from './specimen.ts'

/** Whom and what a token is for. */
export interface Purpose {
  readonly issuer: string
  readonly audience: string
  readonly nonce: string
  readonly state: string
  /** Seconds since the epoch. */
  readonly now: number
  /** Claims of a proof for the request, and the key of the client. */
  readonly proof: Members
  readonly proofKey: string
}

export interface Kind {
  readonly name: string
  /** Header `typ`; null without one. */
  readonly typ: string | null
  /** Claims besides `iss`, `aud`, `sub`, `jti`, `iat` and `exp`; null removes one of those. */
  readonly claims: (purpose: Purpose) => Readonly<Record<string, string | null>>
}

const LOGOUT = json({ 'http://schemas.openid.net/event/backchannel-logout': {} })
const EVENT = json({ 'https://schemas.openid.net/secevent/caep/event-type/session-revoked': {} })

const claims = (more: Record<string, unknown>) => () =>
  Object.fromEntries(Object.entries(more).map(([name, value]) => [name, value === null ? null : json(value)]))
const idClaims =
  (more: Record<string, unknown> = {}) =>
  ({ nonce, now }: Purpose) => ({ nonce: json(nonce), auth_time: String(now - 5), ...claims(more)() })

export const KINDS: readonly Kind[] = [
  { name: 'access token of RFC 9068', typ: 'at+jwt', claims: claims({ client_id: 'shop', scope: 'read' }) },
  { name: 'access token without a type', typ: null, claims: claims({ scope: 'read' }) },
  { name: 'access token of Keycloak', typ: 'JWT', claims: claims({ typ: 'Bearer', azp: 'shop', scope: 'read' }) },
  { name: 'access token of Cognito', typ: null, claims: claims({ token_use: 'access', scope: 'read' }) },
  { name: 'access token of Hydra', typ: 'JWT', claims: claims({ token_use: 'access_token', scope: 'read' }) },
  {
    name: 'access token of an access manager',
    typ: 'JWT',
    claims: claims({ tokenName: 'access_token', scope: ['read'] }),
  },
  {
    name: 'requesting party token',
    typ: 'JWT',
    claims: claims({ typ: 'Bearer', authorization: { permissions: [{ rsid: 'photos', scopes: ['view'] }] } }),
  },
  { name: 'ID token', typ: 'JWT', claims: idClaims() },
  { name: 'ID token without a type', typ: null, claims: idClaims() },
  { name: 'ID token of Keycloak', typ: 'JWT', claims: idClaims({ typ: 'ID', azp: 'shop' }) },
  { name: 'ID token of Cognito', typ: null, claims: idClaims({ token_use: 'id' }) },
  {
    name: 'ID token of an access manager',
    typ: 'JWT',
    claims: idClaims({ tokenName: 'id_token', tokenType: 'JWTToken' }),
  },
  { name: 'token of an agent', typ: 'JWT', claims: idClaims({ sub: null, realm: '/' }) },
  { name: 'refresh token of Keycloak', typ: 'JWT', claims: claims({ typ: 'Refresh', scope: 'read' }) },
  { name: 'offline token of Keycloak', typ: 'JWT', claims: claims({ typ: 'Offline', scope: 'read' }) },
  { name: 'refresh token of Hydra', typ: 'JWT', claims: claims({ token_use: 'refresh_token' }) },
  { name: 'refresh token of Django', typ: 'JWT', claims: claims({ token_type: 'refresh' }) },
  { name: 'refresh token of an access manager', typ: 'JWT', claims: claims({ tokenName: 'refresh_token' }) },
  { name: 'logout token', typ: 'logout+jwt', claims: () => ({ events: LOGOUT, sid: '"s-1"' }) },
  { name: 'logout token without a type', typ: null, claims: () => ({ events: LOGOUT, sid: '"s-1"' }) },
  {
    name: 'logout token of Keycloak',
    typ: 'logout+jwt',
    claims: () => ({ events: LOGOUT, sid: '"s-1"', typ: '"Logout"' }),
  },
  { name: 'security event token', typ: 'secevent+jwt', claims: () => ({ events: EVENT }) },
  { name: 'user info', typ: null, claims: claims({ name: 'Ada', jti: null, iat: null, exp: null }) },
  {
    name: 'authorization response',
    typ: null,
    claims: ({ state }) => ({ code: '"code"', state: json(state), sub: null, jti: null, iat: null }),
  },
  {
    name: 'proof of possession',
    typ: 'dpop+jwt',
    claims: ({ proof }) => ({ ...proof, iss: null, aud: null, sub: null, exp: null }),
  },
  { name: 'client assertion', typ: 'client-authentication+jwt', claims: claims({ iss: 'shop', sub: 'shop' }) },
  { name: 'client assertion without a type', typ: null, claims: claims({ iss: 'shop', sub: 'shop' }) },
  { name: 'request object', typ: 'oauth-authz-req+jwt', claims: claims({ client_id: 'shop', response_type: 'code' }) },
  {
    name: 'introspection response',
    typ: 'token-introspection+jwt',
    claims: claims({ token_introspection: { active: true, scope: 'read' }, exp: null }),
  },
]

let tokens = 0

/** A valid token of a kind. */
export function specimenOf({ typ, claims: others }: Kind, purpose: Purpose): { header: Members; claims: Members } {
  const { issuer, audience, now, proofKey } = purpose
  const all: Readonly<Record<string, string | null>> = {
    iss: json(issuer),
    aud: json(audience),
    sub: '"ada"',
    jti: json(`token-${++tokens}`),
    iat: String(now - 5),
    exp: String(now + 3_600),
    ...others(purpose),
  }
  return {
    header: {
      alg: '"ES256"',
      ...(typ !== null && { typ: json(typ) }),
      ...(typ === 'dpop+jwt' ? { jwk: proofKey } : { kid: '"issuer"' }),
    },
    claims: Object.fromEntries(Object.entries(all).filter((each): each is [string, string] => each[1] !== null)),
  }
}
