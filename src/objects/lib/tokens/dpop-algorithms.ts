import type { SignatureAlgorithm } from '#jose'

/** Algorithms by which proofs of possession may be signed: those of key pairs (RFC 9449 section 4.2), the shorter signatures first. */
export const DPOP_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
] as const satisfies readonly SignatureAlgorithm[]
