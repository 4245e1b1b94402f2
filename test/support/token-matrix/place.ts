// An object that judges tokens, and what becomes of a token there.
import type { TokenKindName } from '#jose'
import type { RunningGateway } from '../gateway.ts'
import type { ReceivedResponse } from '../send-request.ts'
import type { Purpose } from './kinds.ts'
import type { Members, SigningKeys, Specimen } from './specimen.ts'
import type { TokenServer } from './token-server.ts'

export interface Place {
  readonly name: string
  /** What it judges, for the page. */
  readonly judges: string
  /** The row of the table by which it judges. */
  readonly row: TokenKindName
  /** The kind of token that it is for, of those that are offered. */
  readonly own: string
  /** Whether it judges a response about a token, which has no header. */
  readonly isOfResponse: boolean
  readonly offer: (make: Make) => Promise<Verdict>
}

/** `status` for a response that neither admits nor refuses the token. */
export type Verdict = 'admitted' | 'refused' | `status ${number}`

/** Makes a token; a place may have a purpose of its own. */
export type Make = (purpose?: Partial<Purpose>) => Specimen

/** What the requests of places need. */
export interface Surroundings {
  readonly gateway: RunningGateway
  readonly server: TokenServer
  readonly keys: SigningKeys
  /** Keys of the client, for proofs. */
  readonly clientKeys: SigningKeys
  /** The issuer and the audience of tokens of agents. */
  readonly agentPurpose: Partial<Purpose>
  /** The claims of a proof of possession. */
  readonly proof: (path: string, token: string, nonce: string | null) => Members
  /** The shared resource of UMA. */
  readonly resourceId: string
}

const REFUSALS = [400, 401, 403]

export function verdictOf({ status }: ReceivedResponse): Verdict {
  if (status === 200) return 'admitted'
  return REFUSALS.includes(status) ? 'refused' : `status ${status}`
}

/** Cookies of a response, as a browser sends them. */
export function cookiesOf({ headers }: ReceivedResponse): string {
  return (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]).join('; ')
}

let ids = 0

/** A text that no other token has. */
export function newId(): string {
  return `id-${++ids}`
}
