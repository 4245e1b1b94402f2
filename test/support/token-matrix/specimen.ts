// A token of a test, member by member, so that each can be wrong in its own way.
import { type KeyObject, sign } from 'node:crypto'

/** Members of a JSON object by name, as JSON text: `1e999` is a value like any other. */
export type Members = Readonly<Record<string, string>>

/** A token that is not signed yet. */
export interface Specimen {
  readonly header: Members
  readonly claims: Members
  /** Text behind the last member of the header, and of the claims. */
  readonly more?: { readonly header?: string; readonly claims?: string }
  /** The claims as they are signed, from their JSON. */
  readonly written?: (json: Buffer) => Buffer
  /** Signs the first two parts; by default with the key of the issuer. */
  readonly signed?: (text: string, keys: SigningKeys) => Buffer
  /** The token as it is sent. */
  readonly sent?: (token: string) => string
}

/** Keys of signers. */
export interface SigningKeys {
  /** Of the issuer, or of the client where it signs. */
  readonly own: KeyObject
  /** Of a stranger. */
  readonly other: KeyObject
  /** The public key of the issuer, as text that anyone can read. */
  readonly published: string
}

/** JSON text of a value. */
export const json = (value: unknown): string => JSON.stringify(value)

/** ECDSA signature in the form of a JWS. */
export function signatureOf(text: string, key: KeyObject): Buffer {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
}

/** The claims as JSON. */
export function claimsOf({ claims, more, written = (bytes) => bytes }: Specimen): Buffer {
  return written(Buffer.from(objectOf(claims, more?.claims)))
}

/** The token in its compact form. */
export function compactOf(specimen: Specimen, keys: SigningKeys): string {
  const { header, more, signed = (text) => signatureOf(text, keys.own), sent = (token) => token } = specimen
  const parts = [Buffer.from(objectOf(header, more?.header)), claimsOf(specimen)]
  const text = parts.map((part) => part.toString('base64url')).join('.')
  return sent(`${text}.${signed(text, keys).toString('base64url')}`)
}

function objectOf(members: Members, more = ''): string {
  const listed = Object.entries(members).map(([name, value]) => `${json(name)}:${value}`)
  return `{${listed.join(',')}${more}}`
}
