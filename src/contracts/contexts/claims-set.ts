import { type Exposure, exposed } from '#expression'
import type { JsonObject, JsonValue } from '#json'

/** The claims of a token for expressions: by claim name, and registered claims also by their long names (`issuer` for `iss`). */
export class ClaimsSet {
  readonly values: JsonObject

  constructor(values: JsonObject) {
    this.values = values
  }

  /** The value of a claim; null where absent. */
  get(name: string): JsonValue {
    return Object.hasOwn(this.values, name) ? (this.values[name] as JsonValue) : null
  }

  get [exposed](): Exposure<ClaimsSet> {
    return EXPOSURE
  }
}

const EXPOSURE: Exposure<ClaimsSet> = {
  kind: 'claims',
  get: {
    subject: (claims) => claims.get('sub'),
    issuer: (claims) => claims.get('iss'),
    audience: (claims) => claims.get('aud'),
    expirationTime: (claims) => claims.get('exp'),
    notBeforeTime: (claims) => claims.get('nbf'),
    issuedAtTime: (claims) => claims.get('iat'),
    jwtId: (claims) => claims.get('jti'),
  },
  call: {
    getClaim: (claims, name) => claims.get(String(name)),
    isDefined: (claims, name) => Object.hasOwn(claims.values, String(name)),
  },
  index: (claims, key) => claims.get(String(key)),
  keys: (claims) => Object.keys(claims.values),
}
