import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { expiredCookies } from '../../authentication/logins.ts'
import type { Endpoint } from '../../http/call.ts'
import { oauthError } from '../../http/endpoint-response.ts'
import { callerOf } from '../../json/caller.ts'
import { page, redirect } from '../../pages/html.ts'
import type { CompleteSettings } from '../../settings.ts'
import type { Directory } from '../../state/accounts.ts'
import type { Sessions } from '../../state/sessions.ts'
import type { SigningKeys } from '../../state/signing-keys.ts'

interface EndSessionParts {
  readonly settings: CompleteSettings
  readonly directory: Directory
  readonly sessions: Sessions
  readonly keys: SigningKeys
}

/** `connect/endSession` (OpenID Connect RP-Initiated Logout 1.0). */
export function endSession({ settings, directory, sessions, keys }: EndSessionParts): Endpoint {
  return {
    name: 'endSession',
    methods: ['GET', 'POST'],
    handle: async ({ method, query, body, headers, realm }) => {
      const given = method === 'POST' ? new URLSearchParams(body) : query
      const hint = given.get('id_token_hint')
      const claims = hint === null ? null : await claimsOf(hint)
      if (hint !== null && claims === null) return oauthError('invalid_request', 'id_token_hint is not good')
      const own = callerOf(headers, settings.cookieName, sessions)
      for (const session of sessions.select((one) => one === own || one.uid === claims?.sid))
        sessions.end(session, 'LOGOUT')
      const target = given.get('post_logout_redirect_uri')
      const client = directory.client(realm, claims?.aud ?? given.get('client_id') ?? '')
      const expired = { 'Set-Cookie': expiredCookies(settings) }
      if (target !== null && client?.postLogoutRedirectUris?.includes(target)) {
        const state = given.get('state')
        const marked =
          state === null ? target : `${target}${target.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`
        return redirect(marked, expired)
      }
      const answer = page('Logged out', '<p>You are logged out.</p>')
      return { ...answer, headers: { ...answer.headers, ...expired } }
    },
  }

  /** A hint may be expired, but must have a valid signature. */
  async function claimsOf(hint: string): Promise<{ aud: string; sid: string } | null> {
    try {
      const set = createLocalJWKSet((await keys.published()) as unknown as JSONWebKeySet)
      const { payload } = await jwtVerify(hint, set, {
        currentDate: new Date(0),
        clockTolerance: Number.MAX_SAFE_INTEGER,
      })
      return payload['tokenName'] === 'id_token' ? (payload as unknown as { aud: string; sid: string }) : null
    } catch {
      return null
    }
  }
}
