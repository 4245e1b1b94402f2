import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

/** Differences from a valid proof; undefined omits a claim. */
export interface ProofParts {
  readonly method?: string
  readonly uri?: string
  readonly token?: string
  readonly claims?: Record<string, unknown>
  readonly header?: Record<string, unknown>
  /** Milliseconds since the epoch. */
  readonly now?: number
}

/** A DPoP client on an independent library. */
export interface DpopClient {
  readonly jwk: JWK
  /** The value of `cnf.jkt`. */
  readonly thumbprint: string
  prove(parts: ProofParts): Promise<string>
}

/** A client with a new key for an algorithm. */
export async function dpopClient(alg = 'ES256'): Promise<DpopClient> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  const prove = ({ method = 'GET', uri = '', token = '', claims, header, now = Date.now() }: ProofParts) => {
    const all = {
      jti: crypto.randomUUID(),
      htm: method,
      htu: uri,
      iat: Math.floor(now / 1_000),
      ath: createHash('sha256').update(token).digest('base64url'),
      ...claims,
    }
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    return new SignJWT(given).setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header }).sign(privateKey)
  }
  return { jwk, thumbprint: await calculateJwkThumbprint(jwk), prove }
}
