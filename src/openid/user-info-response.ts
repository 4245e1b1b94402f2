import { parseSignedToken, readClaims, TokenError, violations } from '#jose'
import { isPlainObject, type JsonObject, parseUniqueJson } from '#json'
import { isEncrypted } from './issued-tokens.ts'
import { OpenIdError } from './open-id-error.ts'

/** Requirements on user info. */
interface UserInfoRules {
  /** The `sub` of the ID token. */
  readonly subject: string
  readonly issuer: string
  readonly clientId: string
  /** Accepted clock skew in milliseconds. */
  readonly skew: number
  /** Milliseconds since the epoch. */
  readonly now: number
  decrypt(jwe: string): Promise<string>
  signatureProblem(jwt: string): Promise<string | null>
}

/** Reads a response of the user info endpoint: JSON, or signed, encrypted or both (OpenID Connect Core section 5.3.2). */
export async function readUserInfo(answer: globalThis.Response, rules: UserInfoRules): Promise<JsonObject> {
  if (answer.status !== 200) throw refusal(answer)
  const type = answer.headers.get('content-type') ?? ''
  const text = await answer.text()
  const info = type.startsWith('application/jwt') ? await openUserInfo(text.trim(), rules) : objectIn(text)
  if (info === null) throw new OpenIdError('server_error', 'the user info is no JSON object', false)
  // OpenID Connect Core section 5.3.2: otherwise a substituted token could show another user.
  if (info['sub'] !== rules.subject)
    throw new OpenIdError('invalid_token', 'the user info is about another user than the ID token', false)
  return info
}

async function openUserInfo(text: string, rules: UserInfoRules): Promise<JsonObject | null> {
  const content = isEncrypted(text) ? await rules.decrypt(text) : text
  // Encrypted without signature: as trusted as plain JSON from the same endpoint.
  if (content.startsWith('{') && content !== text) return objectIn(content)
  const problem = await rules.signatureProblem(content)
  if (problem !== null) throw new OpenIdError('invalid_token', `the user info is invalid: ${problem}`, false)
  return judgedClaims(content, rules)
}

function judgedClaims(jwt: string, { subject, issuer, clientId, now, skew }: UserInfoRules): JsonObject {
  try {
    const { header, payload } = parseSignedToken(jwt)
    const claims = readClaims(payload)
    const parties = { issuer, audience: [clientId], subject }
    const [violation] = violations(header, claims, { kind: 'userInfo', times: { now, skew }, ...parties })
    if (violation === undefined) return claims
    throw new OpenIdError('invalid_token', `the user info is invalid: ${violation.message}`, false)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw new OpenIdError('invalid_token', `the user info is invalid: ${error.message}`, false)
  }
}

function objectIn(text: string): JsonObject | null {
  try {
    const value = parseUniqueJson(text)
    return isPlainObject(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

function refusal(answer: globalThis.Response): OpenIdError {
  const challenge = answer.headers.get('www-authenticate') ?? ''
  const error = /\berror\s*=\s*"?([a-z_]{1,40})"?/i.exec(challenge)?.[1] ?? 'access_denied'
  return new OpenIdError(error, `the user info endpoint answered with status ${answer.status}`, false)
}
