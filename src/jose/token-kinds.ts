import type { TokenUse } from './token-use.ts'

/** Claims that hold a point in time (RFC 7519 section 4.1; OpenID Connect Core section 2). */
export type TimeClaim = 'exp' | 'nbf' | 'iat' | 'auth_time'

/** What tokens of a kind must satisfy, besides the issuer, audience and times that a caller gives. */
export interface TokenKind {
  /** Begins the messages. */
  readonly subject: 'the token' | 'the access token' | 'the proof' | 'the user info' | 'the response'
  /** The message about a token of another use. */
  readonly otherUse: string
  /** Uses that it may declare; null for any. */
  readonly uses: readonly TokenUse[] | null
  /** Values of the header `typ`, in the form of `normalType`; null for all that declare no other use. */
  readonly types: readonly string[] | null
  /** The type that a token without `typ` counts as; null where the type is required. */
  readonly untyped: string | null
  /** Name of the configuration field with other types. */
  readonly typesField: string | null
  /** Claims of other kinds: a token that declares no use and has one of them is refused. */
  readonly unlike: readonly string[]
  /** Required claims: times, or texts that are not empty. */
  readonly required: readonly string[]
  /** At least one of these is required, and each one present is a text. */
  readonly identified: readonly string[]
  /** Texts, also empty ones, where they are present. */
  readonly texts: readonly string[]
  readonly forbidden: readonly string[]
  /** Times that are checked where they are present. */
  readonly times: readonly TimeClaim[]
  /** How far `iat` may be in the future with any skew, in milliseconds. */
  readonly issuedAhead: number
  /** How far `nbf` may be in the future with any skew, in milliseconds. */
  readonly usableAhead: number
  /** Whether `iss` and `aud` are checked only where they are present. */
  readonly hasOptionalParties: boolean
  /** Whether `azp` names the client that a token with several audiences was issued to. */
  readonly hasAuthorizedParty: boolean
  /** Whether it is a response of a server about a token: `null` is a missing member. */
  readonly isResponse: boolean
}

/** A gateway whose clock is slightly behind must not reject fresh tokens. */
const ISSUED_AHEAD = 60_000

const ANY: TokenKind = {
  subject: 'the token',
  otherUse: 'the token is of another use',
  uses: null,
  types: null,
  untyped: 'jwt',
  typesField: null,
  unlike: [],
  required: [],
  identified: [],
  texts: [],
  forbidden: [],
  times: ['exp', 'nbf', 'iat'],
  issuedAhead: ISSUED_AHEAD,
  usableAhead: 0,
  hasOptionalParties: false,
  hasAuthorizedParty: false,
  isResponse: false,
}

/** Claims of ID tokens (OpenID Connect Core section 3.3.2.11), and of logout and security event tokens (RFC 8417). */
const CLAIMS_OF_OTHERS = ['at_hash', 'c_hash', 's_hash', 'events']

/** A response about an access token. The server has judged the token: its `iat` only shows the clock of the server. */
const ACCESS_TOKEN_RESPONSE: TokenKind = {
  ...ANY,
  subject: 'the access token',
  otherUse: 'the token is not an access token',
  uses: ['access'],
  unlike: CLAIMS_OF_OTHERS,
  times: ['exp', 'nbf'],
  usableAhead: 10_000,
  isResponse: true,
}

/** Every kind of token that the gateway judges, and what it must satisfy ([ADR 39](docs/adr/0039-one-table-of-token-kinds.md)). */
export const TOKEN_KINDS = {
  /** A token of any kind, of which a configuration or a script judges more. */
  jwt: ANY,
  /** RFC 9068 sections 2 and 4, and access tokens of issuers that are older. */
  accessToken: {
    ...ANY,
    otherUse: 'the token is not an access token',
    uses: ['access'],
    types: ['at+jwt'],
    typesField: 'tokenTypes',
    // Also of authorization responses (JARM), which browsers get, with the same audience as ID tokens.
    unlike: [...CLAIMS_OF_OTHERS, 'nonce', 'code', 'error'],
    required: ['exp'],
    texts: ['sub'],
  },
  /** OpenID Connect Core sections 2 and 3.1.3.7. */
  idToken: {
    ...ANY,
    otherUse: 'the token is not an ID token',
    uses: ['id'],
    types: ['jwt', 'jose', 'jws'],
    unlike: ['events'],
    required: ['sub', 'exp', 'iat'],
    times: ['exp', 'nbf', 'iat', 'auth_time'],
    hasAuthorizedParty: true,
  },
  /** OpenID Connect Back-Channel Logout 1.0 section 2.6. Older providers omit `exp`. */
  logoutToken: {
    ...ANY,
    otherUse: 'the token is not a logout token',
    uses: ['logout'],
    types: ['logout+jwt'],
    untyped: 'logout+jwt',
    required: ['jti', 'iat'],
    identified: ['sid', 'sub'],
    forbidden: ['nonce'],
    // Its age is limited in both directions by the same time.
    issuedAhead: 5 * 60_000,
  },
  /** Signed user info, OpenID Connect Core section 5.3.2. */
  userInfo: {
    ...ANY,
    subject: 'the user info',
    uses: [],
    required: ['sub'],
    hasOptionalParties: true,
  },
  /** User info as JSON, or encrypted without a signature: a response of its endpoint (OpenID Connect Core section 5.3.2). */
  plainUserInfo: { ...ANY, subject: 'the user info', required: ['sub'], times: [], isResponse: true },
  /** A JWT-secured authorization response, JARM sections 2.1 and 2.4. */
  authorizationResponse: { ...ANY, subject: 'the response', uses: [], required: ['exp'] },
  /** RFC 9449 sections 4.2 and 4.3. Its `iat` may be ahead by seconds (section 11.1). */
  dpopProof: {
    ...ANY,
    subject: 'the proof',
    otherUse: 'the proof is not a DPoP proof',
    uses: ['proof'],
    types: ['dpop+jwt'],
    untyped: null,
    required: ['jti', 'htm', 'htu', 'ath', 'iat'],
    issuedAhead: 10_000,
  },
  /** RFC 7662 section 2.2. */
  introspection: ACCESS_TOKEN_RESPONSE,
  /** Responses of the tokeninfo endpoint of OpenAM, and of scripts. */
  tokenInfo: ACCESS_TOKEN_RESPONSE,
  /** A response about a requesting party token: Federated Authorization for UMA 2.0 section 5.1.1. */
  requestingPartyToken: {
    ...ACCESS_TOKEN_RESPONSE,
    subject: 'the token',
    otherUse: 'the token is not a requesting party token',
  },
  /** A token of a user that an access manager issued to its agent (access manager protocol 8): an ID token without `sub`. */
  agentToken: {
    ...ANY,
    otherUse: 'the token is not the token of a login',
    uses: ['id'],
    unlike: ['events'],
    required: ['exp'],
    hasAuthorizedParty: true,
  },
} as const satisfies Readonly<Record<string, TokenKind>>

export type TokenKindName = keyof typeof TOKEN_KINDS
