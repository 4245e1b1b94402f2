import type { ClientRegistration } from '#contracts'
import type { CallbackRequest } from './callback-request.ts'
import { LoginRequestError } from './login-failure.ts'

const SHARED = 'callback'

/**
 * The callback of a registration, below the client endpoint. Where the filter has several issuers, a registration whose server does not
 * name itself in its responses has a callback of its own: at the shared one, another server could pass its code off as one of this
 * server, and would get the code of this server (mix-up, RFC 9700 sections 2.1 and 4.4).
 */
export async function callbackOf(
  registration: ClientRegistration,
  registrations: readonly ClientRegistration[],
): Promise<string> {
  const hasSeveralIssuers = new Set(registrations.map(({ issuer }) => issuer)).size > 1
  return hasSeveralIssuers && !(await namesIssuer(registration)) ? ownCallback(registration) : SHARED
}

/** Whether `action`, the path of a request below the client endpoint, is a callback. */
export function isCallback(action: string): boolean {
  return action === SHARED || action.startsWith(`${SHARED}/`)
}

/** Refuses a response that came to another callback than that of its login. */
export async function checkCallback({ action, registration, settings }: CallbackRequest): Promise<void> {
  if (registration === null || action === ownCallback(registration)) return
  if (action === SHARED && (await callbackOf(registration, settings.registrations)) === SHARED) return
  throw new LoginRequestError('the authorization response came to the callback of another registration')
}

function ownCallback({ clientId, issuer }: ClientRegistration): string {
  return `${SHARED}/${encodeURIComponent(clientId)}@${encodeURIComponent(issuer.name)}`
}

/** By the parameter `iss`, which is then required (RFC 9207), or by the claim of a signed response (JARM). */
async function namesIssuer({ responseMode, issuer }: ClientRegistration): Promise<boolean> {
  if (responseMode?.endsWith('jwt')) return true
  return (await issuer.metadata())['authorization_response_iss_parameter_supported'] === true
}
