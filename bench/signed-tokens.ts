import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import type { Workspace } from './workspace.ts'

/** Signature algorithms, and keys for each. */
const KEYS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} satisfies Record<string, () => { publicKey: KeyObject; privateKey: KeyObject }>

export type TokenAlgorithm = keyof typeof KEYS

/** Issuer and audience of the tokens, and one of their two scopes. */
export const ISSUER = 'https://issuer.example'
export const AUDIENCE = 'https://api.example'
export const SCOPE = 'mail'

/** An access token, and the location of the key that verifies it. */
export interface SignedToken {
  readonly algorithm: TokenAlgorithm
  readonly token: string
  /** The file of the public key, in PEM; its folder has no other files, and its name is the secret id. */
  readonly keyFile: string
  readonly folder: string
  readonly secretId: string
}

/** Creates a key and an access token (RFC 9068) that is valid for a day. */
export async function signedToken(workspace: Workspace, algorithm: TokenAlgorithm): Promise<SignedToken> {
  const { publicKey, privateKey } = KEYS[algorithm]()
  const secretId = `${algorithm.toLowerCase()}.key`
  const keyFile = workspace.write(`keys/${secretId}`, publicKey.export({ type: 'spki', format: 'pem' }) as string)
  const token = await new SignJWT({ scope: `profile ${SCOPE}`, client_id: 'bench', jti: 'b4f1c8e0-bench' })
    .setProtectedHeader({ alg: algorithm, typ: 'at+jwt' })
    .setIssuer(ISSUER)
    .setSubject('demo')
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('1 day')
    .sign(privateKey)
  return { algorithm, token, keyFile, folder: join(workspace.path, 'keys'), secretId }
}
