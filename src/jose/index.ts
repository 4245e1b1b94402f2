export { claim, isForAudience, numericDate, readClaims, responseDate } from './claims.ts'
export { MAX_TOKEN_LENGTH, parseSignedToken, parseToken, type SignedToken, type TokenHeader } from './compact.ts'
export { decryptToken, decryptWithKey } from './decrypt.ts'
export { encryptionRefusal, encryptJwt } from './encrypt.ts'
export {
  ENCRYPTION_ALGORITHMS,
  ENCRYPTION_METHODS,
  type EncryptionAlgorithm,
  type EncryptionMethod,
  encryptionSuitability,
  METHOD_BYTES,
} from './encryption-algorithms.ts'
export type { KeySource } from './key-choice.ts'
export { type OpenedJwt, type OpeningKeys, openJwt } from './open-jwt.ts'
export { scopesOf } from './scopes.ts'
export { signingRefusal, signJwt } from './sign.ts'
export {
  KEY_PAIR_ALGORITHMS,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  signatureSuitability,
} from './signature-algorithms.ts'
export { SignatureKey } from './signature-key.ts'
export { TokenError } from './token-error.ts'
export { TOKEN_KINDS, type TokenKindName } from './token-kinds.ts'
export { normalType } from './token-use.ts'
export { verifySignature } from './verify.ts'
export { type TokenRules, violations } from './violations.ts'
