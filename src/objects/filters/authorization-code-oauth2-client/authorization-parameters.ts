import type { ClientRegistration } from '#contracts'
import type { Exchange } from '#http'
import { OpenIdError } from '#openid'
import { LoginRequestError } from './login-failure.ts'
import type { LoginDemand } from './step-up.ts'

const LONGEST_VALUE = 1_000
const SECONDS = /^\d{1,9}$/

/** Input of the optional parameters of an authorization request. */
interface AuthorizationInput {
  readonly registration: ClientRegistration
  readonly prompt: string | null
  /** Query of `login`, of which the registration passes some parameters on. */
  readonly passed: URLSearchParams | null
  readonly demand: LoginDemand
}

/** Further parameters of an authorization request; those of the request take precedence over the configured ones. */
export async function authorizationParameters(
  { registration, prompt, passed, demand }: AuthorizationInput,
  exchange: Exchange,
): Promise<Record<string, string>> {
  const parameters: Record<string, string> = { ...(prompt !== null && { prompt }) }
  Object.assign(parameters, await registration.parameters(exchange))
  for (const name of registration.passParameters) {
    const value = passed?.get(name) ?? null
    if (value === null) continue
    if (value.length > LONGEST_VALUE) throw new LoginRequestError(`the parameter "${name}" is too long`)
    parameters[name] = value
  }
  if (demand.acrValues.length > 0) parameters['acr_values'] = demand.acrValues.join(' ')
  if (demand.maxAge !== null) parameters['max_age'] = String(demand.maxAge)
  return parameters
}

/** The parameter `max_age`; null where it is absent. */
export function maxAgeOf({ max_age: text }: Readonly<Record<string, string>>): number | null {
  if (text === undefined) return null
  if (!SECONDS.test(text)) throw new LoginRequestError('the parameter "max_age" is no number of seconds')
  return Number(text)
}

/** Throws where the `acr` of the login is not one of those demanded: for servers `acr_values` is voluntary. */
export function checkAcr(acr: unknown, demanded: readonly string[]): void {
  if (demanded.length === 0 || (typeof acr === 'string' && demanded.includes(acr))) return
  const found = typeof acr === 'string' ? `of the class ${JSON.stringify(acr.slice(0, 100))}` : 'of no class'
  const description = `the login is ${found}, and one of ${demanded.join(', ')} is demanded`
  throw new OpenIdError('unmet_authentication_requirements', description, false)
}
