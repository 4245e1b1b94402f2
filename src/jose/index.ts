export {
  claim,
  isForAudience,
  numericDate,
  readClaims,
  scopesOf,
  type TimeClaim,
  type TimeRules,
  timeViolations,
} from './claims.ts'
export {
  type EncryptedToken,
  MAX_TOKEN_LENGTH,
  parseSignedToken,
  parseToken,
  type SignedToken,
  type TokenHeader,
} from './compact.ts'
export { type Decryption, decryptToken } from './decrypt.ts'
export { type Encrypting, encryptionRefusal, encryptJwt } from './encrypt.ts'
export {
  ENCRYPTION_ALGORITHMS,
  ENCRYPTION_METHODS,
  type EncryptionAlgorithm,
  type EncryptionMethod,
  encryptionSuitability,
  METHOD_BYTES,
} from './encryption-algorithms.ts'
export type { KeySource, KeysUnavailable } from './key-choice.ts'
export { type JwtOpening, type OpenedJwt, type OpeningKeys, openJwt } from './open-jwt.ts'
export { type Signing, signingRefusal, signJwt } from './sign.ts'
export {
  KEY_PAIR_ALGORITHMS,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  signatureSuitability,
} from './signature-algorithms.ts'
export { SignatureKey, signatureKeyOf } from './signature-key.ts'
export { KeyUnsuitableError, TokenError } from './token-error.ts'
export { type Verification, verifySignature } from './verify.ts'
