import type { Family } from '../settings.ts'
import type { Directory } from '../state/accounts.ts'
import type { Tokens } from '../state/tokens.ts'
import type { TokenIssuer } from './token-issuer.ts'

/** State that the grant types share. */
export interface GrantContext {
  readonly directory: Directory
  readonly tokens: Tokens
  readonly issuer: TokenIssuer
  readonly family: Family
}
