// SigningManager: handlers from keys and secrets.
import { type ByteArray, type ClassInfo, GroovyObject, type Value } from '@identity-gateway/groovy'
import { extendWithHost, gatewayClass } from '../host-class.ts'
import { SecretValue } from '../secrets.ts'
import { secretOf } from './keys.ts'
import { type Family, HmacHandler, KeyHandler, type SigningHandlerValue } from './signing-handlers.ts'

const ManagerClass = gatewayClass('json.jose.jws.SigningManager')

class SigningManagerValue extends GroovyObject {
  get klass(): ClassInfo {
    return ManagerClass
  }
}

const handler =
  (family: Family | null) =>
  (_: Value, key: Value): SigningHandlerValue =>
    new KeyHandler(secretOf(key), family)

/** A password of a store is a shared key by its bytes; a key of a store has to be symmetric. */
function hmacHandler(_: Value, secret: Value): SigningHandlerValue {
  const { active } = secretOf(secret)
  return secret instanceof SecretValue && active.kind === 'generic'
    ? new HmacHandler(active.revealBytes())
    : handler('HMAC')(_, secret)
}

extendWithHost(ManagerClass, {
  'new()': () => new SigningManagerValue(),
  'newHmacSigningHandler(byte[] key): SigningHandler': (_: Value, { bytes }: ByteArray) => new HmacHandler(bytes),
  'newHmacSigningHandler(Secret secret): SigningHandler': hmacHandler,
  'newRsaSigningHandler(Object key): SigningHandler': handler('RSA'),
  'newEcdsaSigningHandler(Object key): SigningHandler': handler('ECDSA'),
  'newEcdsaVerificationHandler(Object key): SigningHandler': handler('ECDSA'),
  'newEdDsaSigningHandler(Object key): SigningHandler': handler('EdDSA'),
  'newSigningHandler(Object key): SigningHandler': handler(null),
  'newVerificationHandler(Object key): SigningHandler': handler(null),
})
