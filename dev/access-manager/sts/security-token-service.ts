import { parseSignedToken, readClaims } from '#jose'
import type { Endpoint } from '../http/call.ts'
import { crestError, json } from '../http/endpoint-response.ts'
import { callerOf } from '../json/caller.ts'
import type { CompleteSettings } from '../settings.ts'
import type { Sessions } from '../state/sessions.ts'

/** `rest-sts/<instance>`: turns an ID token into a SAML 2.0 assertion, unsigned. Callers need a session. */
export function securityTokenService({ cookieName }: CompleteSettings, sessions: Sessions): Endpoint {
  return {
    name: 'rest-sts',
    methods: ['POST'],
    handle: ({ headers, query, body }) => {
      if (query.get('_action') !== 'translate') return crestError(400, 'Unsupported action')
      if (callerOf(headers, cookieName, sessions) === undefined) return crestError(401, 'Access Denied')
      const subject = subjectIn(body)
      if (subject === null) return crestError(400, 'The id token is not valid')
      return json({
        issued_token: `<saml:Assertion Version="2.0"><saml:NameID>${subject}</saml:NameID></saml:Assertion>`,
      })
    },
  }
}

function subjectIn(body: string): string | null {
  try {
    const { input_token_state: state } = JSON.parse(body) as { input_token_state: { oidc_id_token: string } }
    const claims = readClaims(parseSignedToken(state.oidc_id_token).payload)
    return /^[\w.-]{1,100}$/.exec(String(claims['sub']))?.[0] ?? null
  } catch {
    return null
  }
}
