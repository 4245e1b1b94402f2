import { parseSignedToken, readClaims, TokenError, violations } from '#jose'
import { type JsonObject, jsonObjectIn } from '#json'
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
  const bytes = Buffer.from(await answer.arrayBuffer())
  return type.startsWith('application/jwt') ? openUserInfo(bytes.toString('latin1').trim(), rules) : plain(bytes, rules)
}

async function openUserInfo(text: string, rules: UserInfoRules): Promise<JsonObject> {
  const content = isEncrypted(text) ? await rules.decrypt(text) : text
  // Encrypted without signature: as trusted as plain JSON from the same endpoint.
  if (content.startsWith('{') && content !== text) return plain(Buffer.from(content), rules)
  const problem = await rules.signatureProblem(content)
  if (problem !== null) throw invalid(problem)
  return signed(content, rules)
}

function plain(bytes: Buffer, { subject, now }: UserInfoRules): JsonObject {
  const info = jsonObjectIn(bytes)
  if (info === null)
    throw new OpenIdError('server_error', 'the user info is no JSON object with each member once', false)
  const [violation] = violations(null, info, { kind: 'plainUserInfo', times: { now }, subject })
  if (violation === undefined) return info
  throw invalid(violation.message)
}

function signed(jwt: string, { subject, issuer, clientId, now, skew }: UserInfoRules): JsonObject {
  try {
    const { header, payload } = parseSignedToken(jwt)
    const claims = readClaims(payload)
    const parties = { issuer, audience: [clientId], subject }
    const [violation] = violations(header, claims, { kind: 'userInfo', times: { now, skew }, ...parties })
    if (violation === undefined) return claims
    throw invalid(violation.message)
  } catch (error) {
    if (error instanceof TokenError) throw invalid(error.message)
    throw error
  }
}

function invalid(reason: string): OpenIdError {
  return new OpenIdError('invalid_token', `the user info is invalid: ${reason}`, false)
}

function refusal(answer: globalThis.Response): OpenIdError {
  const challenge = answer.headers.get('www-authenticate') ?? ''
  const error = /\berror\s*=\s*"?([a-z_]{1,40})"?/i.exec(challenge)?.[1] ?? 'access_denied'
  return new OpenIdError(error, `the user info endpoint answered with status ${answer.status}`, false)
}
