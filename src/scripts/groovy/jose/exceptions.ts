import { exceptions } from '@identity-gateway/groovy'
import { gatewayException } from '../host-class.ts'

export const JwtRuntimeException = gatewayException(
  'json.jose.exceptions.JwtRuntimeException',
  exceptions.RuntimeException,
)
const JwtBuilderException = gatewayException('json.jose.exceptions.JwtBuilderException', JwtRuntimeException)
const JwtReconstructionException = gatewayException(
  'json.jose.exceptions.JwtReconstructionException',
  JwtBuilderException,
)
export const InvalidJwtException = gatewayException(
  'json.jose.exceptions.InvalidJwtException',
  JwtReconstructionException,
)
const JwsException = gatewayException('json.jose.exceptions.JwsException', JwtRuntimeException)
export const JwsSigningException = gatewayException('json.jose.exceptions.JwsSigningException', JwsException)
export const JwsVerifyingException = gatewayException('json.jose.exceptions.JwsVerifyingException', JwsException)
const JweException = gatewayException('json.jose.exceptions.JweException', JwtRuntimeException)
export const JweDecryptionException = gatewayException('json.jose.exceptions.JweDecryptionException', JweException)
export const JweEncryptionException = gatewayException('json.jose.exceptions.JweEncryptionException', JweException)
