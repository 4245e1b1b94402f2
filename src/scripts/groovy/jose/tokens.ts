// SignedJwt and EncryptedJwt.
import {
  andThen,
  type ClassInfo,
  GroovyObject,
  type MapValue,
  type Maybe,
  suspend,
  throwable,
  type Value,
} from '@identity-gateway/groovy'
import { decryptToken, parseToken, readClaims, type SignedToken, TokenError } from '#jose'
import { extendWithHost, gatewayClass, gatewayInterface } from '../host-class.ts'
import { convertValue, toGroovy } from '../host-values.ts'
import { claimsSet } from './claims-set.ts'
import { InvalidJwtException, JweDecryptionException } from './exceptions.ts'
import type { FieldsValue } from './fields.ts'
import { jweHeader, jwsHeader } from './headers.ts'
import { secretOf } from './keys.ts'
import type { SigningHandlerValue } from './signing-handlers.ts'

const JwtInterface = gatewayInterface('json.jose.jwt.Jwt', null)
export const SignedJwtClass = gatewayClass('json.jose.jws.SignedJwt', { interfaces: [JwtInterface] })
export const EncryptedJwtClass = gatewayClass('json.jose.jwe.EncryptedJwt', { interfaces: [JwtInterface] })

type EncryptedToken = Exclude<ReturnType<typeof parseToken>, SignedToken>

/** A signed token. */
class SignedJwtValue extends GroovyObject {
  readonly token: SignedToken
  readonly header: FieldsValue
  readonly claims: FieldsValue

  constructor(token: SignedToken) {
    super()
    this.token = token
    this.header = jwsHeader(toGroovy(token.header.members) as MapValue)
    this.claims = claimsSet(toGroovy(readClaims(token.payload)) as MapValue)
  }

  get klass(): ClassInfo {
    return SignedJwtClass
  }
}

/** An encrypted token; its claims are known after `decrypt`. */
class EncryptedJwtValue extends GroovyObject {
  readonly token: EncryptedToken
  readonly header: FieldsValue
  claims: FieldsValue | null = null

  constructor(token: EncryptedToken) {
    super()
    this.token = token
    this.header = jweHeader(toGroovy(token.header.members) as MapValue)
  }

  get klass(): ClassInfo {
    return EncryptedJwtClass
  }
}

convertValue(SignedJwtValue, ({ token }) => token.text)
convertValue(EncryptedJwtValue, ({ token }) => token.text)

/** Parses a token without verifying or decrypting it. Throws InvalidJwtException. */
export function parsedJwt(text: string, type: ClassInfo): Value {
  try {
    const token = parseToken(text)
    if (token.form === 'signed' && type !== EncryptedJwtClass) return new SignedJwtValue(token)
    if (token.form === 'encrypted' && type !== SignedJwtClass) return new EncryptedJwtValue(token)
  } catch (error) {
    if (error instanceof TokenError) throw throwable(InvalidJwtException, error.message)
    throw error
  }
  const [wanted, found] = type === SignedJwtClass ? ['a signed', 'an encrypted'] : ['an encrypted', 'a signed']
  throw throwable(InvalidJwtException, `expected ${wanted} token, got ${found} one`)
}

function decrypt(self: EncryptedJwtValue, key: Value): Maybe {
  return andThen(suspend(decryptedClaims(self.token, key)), (claims) => {
    self.claims = claimsSet(claims as MapValue)
    return null
  })
}

async function decryptedClaims(token: EncryptedToken, key: Value): Promise<Value> {
  const decryption = await decryptToken(token, secretOf(key).source)
  if (decryption.outcome !== 'decrypted') throw throwable(JweDecryptionException, decryption.reason)
  try {
    return toGroovy(readClaims(decryption.content))
  } catch (error) {
    if (error instanceof TokenError) throw throwable(JweDecryptionException, error.message)
    throw error
  }
}

extendWithHost(SignedJwtClass, {
  'getClaimsSet(): JwtClaimsSet': ({ claims }: SignedJwtValue) => claims,
  'getHeader(): JwsHeader': ({ header }: SignedJwtValue) => header,
  'verify(SigningHandler handler): boolean': ({ token }: SignedJwtValue, handler: SigningHandlerValue) =>
    handler.verify(token),
  'build(): String': ({ token }: SignedJwtValue) => token.text,
  'toString(): String': ({ token }: SignedJwtValue) => token.text,
})

extendWithHost(EncryptedJwtClass, {
  'decrypt(Object key): void': decrypt,
  'getClaimsSet(): JwtClaimsSet': ({ claims }: EncryptedJwtValue) => {
    if (claims === null) throw throwable(JweDecryptionException, 'the token is encrypted; call decrypt(key) first')
    return claims
  },
  'getHeader(): JweHeader': ({ header }: EncryptedJwtValue) => header,
  'build(): String': ({ token }: EncryptedJwtValue) => token.text,
  'toString(): String': ({ token }: EncryptedJwtValue) => token.text,
})
