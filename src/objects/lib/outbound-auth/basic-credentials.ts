import { ClientIdFieldContext, type Secret, type SecretsProvider } from '#contracts'
import { type Exchange, type Filter, formatForm } from '#http'
import { withoutFormField } from './form-content.ts'

/** User name and source of the password. */
interface BasicSettings {
  readonly username: string
  readonly passwordSecretId: string
  readonly secretsProvider: SecretsProvider
  /** `form`: both parts are form-urlencoded before they are joined (RFC 6749 section 2.3.1). */
  readonly encoding: 'plain' | 'form'
}

/** Why a user name is invalid in Basic credentials (RFC 7617 section 2); null for a valid one. */
export function usernameProblem(username: string): string | null {
  if (username.includes(':')) return 'expected a name without ":", which ends the name in Basic credentials'
  return hasControl(username) ? 'expected a name without control characters' : null
}

/**
 * Sets `Authorization` of each request to Basic credentials. Removes `client_id` from the form: it only identified the client.
 */
export function basicAuthentication(settings: BasicSettings): Filter {
  const { passwordSecretId: secretId, secretsProvider } = settings
  let known: { readonly secret: Secret; readonly field: string } | null = null
  return async (exchange, next) => {
    // The provider caches secrets for their lease: the header value is computed again only for another secret.
    const secret = await secretsProvider.active({ secretId, purpose: 'GENERIC' })
    if (known?.secret !== secret) known = { secret, field: credentialsOf(settings, secret) }
    const isNamed = exchange.context(ClientIdFieldContext) !== null
    const authenticated = isNamed ? await withoutFormField(exchange, 'client_id') : copyOf(exchange)
    authenticated.request.headers.set('Authorization', known.field)
    return next(authenticated)
  }
}

function copyOf(exchange: Exchange): Exchange {
  return exchange.withRequest(exchange.request.clone())
}

function credentialsOf({ username, passwordSecretId, encoding }: BasicSettings, secret: Secret): string {
  const password = secret.revealText()
  if (encoding === 'form') return basic(`${formEncoded(username)}:${formEncoded(password)}`)
  if (hasControl(password)) {
    throw new TypeError(
      `the secret id "${passwordSecretId}": a password of Basic credentials has no control characters`,
    )
  }
  return basic(`${username}:${password}`)
}

/** The value of Authorization. Throws a TypeError, without the values, for those that Basic credentials can not contain. */
export function basicField(username: string, password: string): string {
  const problem = usernameProblem(username)
  if (problem !== null) throw new TypeError(`Basic credentials: ${problem}`)
  if (hasControl(password)) throw new TypeError('Basic credentials: expected a password without control characters')
  return basic(`${username}:${password}`)
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`
}

/** A value encoded as `application/x-www-form-urlencoded`. */
function formEncoded(text: string): string {
  return formatForm({ [text]: [null] })
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
