import { type ClassInfo, CollectionValue, GroovyObject, MapValue, textOf, type Value } from '@identity-gateway/groovy'
import type { AccessToken } from '#contracts'
import { isPlainObject } from '#json'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { convertValue, toGroovy, toHost } from './host-values.ts'
import { JsonValueValue } from './json-data.ts'

const AccessTokenInfoClass = gatewayClass('http.oauth2.AccessTokenInfo')

/** An access token with its introspection data. */
class AccessTokenInfo extends GroovyObject {
  readonly info: MapValue
  readonly token: string
  readonly scopes: Value
  /** Milliseconds since the epoch. */
  readonly expiresAt: bigint

  constructor(info: MapValue, token: string, scopes: Value, expiresAt: bigint) {
    super()
    this.info = info
    this.token = token
    this.scopes = scopes
    this.expiresAt = expiresAt
  }

  get klass(): ClassInfo {
    return AccessTokenInfoClass
  }
}

/** Value of a token that does not expire. */
const NEVER = 9223372036854775807n

/** Converts a resolved token to a script value. */
export function accessTokenValue({ token, info, scopes, expiresAt }: AccessToken): Value {
  const expiry = expiresAt === null ? NEVER : BigInt(Math.trunc(expiresAt))
  return new AccessTokenInfo(toGroovy(info) as MapValue, token, toGroovy(scopes), expiry)
}

/** Converts the token of a script to an introspection response (RFC 7662). */
convertValue(AccessTokenInfo, ({ info, scopes, expiresAt }) => {
  const data = toHost(info)
  const fields = isPlainObject(data) ? data : {}
  const listed = scopes instanceof CollectionValue ? scopes.items.map(textOf) : []
  return {
    ...fields,
    scope: listed.join(' '),
    ...(expiresAt === NEVER ? {} : { exp: Number(expiresAt) / 1_000 }),
  }
})

function made(info: Value, token: string, scopes: Value, expiresAt: bigint): AccessTokenInfo {
  const map = info instanceof JsonValueValue ? info.object : info
  if (!(map instanceof MapValue)) throw new TypeError('AccessTokenInfo: expected a map of the introspection data')
  return new AccessTokenInfo(map, token, scopes, expiresAt)
}

extendWithHost(AccessTokenInfoClass, {
  'new(Object info, String token, Collection scopes, long expiresAt)': made,
  'getToken(): String': (self: AccessTokenInfo) => self.token,
  'getInfo(): Map': (self: AccessTokenInfo) => self.info,
  'getRawInfo(): JsonValue': (self: AccessTokenInfo) => new JsonValueValue(self.info),
  'asJsonValue(): JsonValue': (self: AccessTokenInfo) => new JsonValueValue(self.info),
  'getScopes(): Set': (self: AccessTokenInfo) => self.scopes,
  'getExpiresAt(): long': (self: AccessTokenInfo) => self.expiresAt,
})
