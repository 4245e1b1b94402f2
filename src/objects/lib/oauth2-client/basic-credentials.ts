import { ClientIdFieldContext, type Secret, type SecretsProvider } from '#contracts'
import { type Exchange, type Filter, formatForm } from '#http'
import { withoutFormField } from './form-content.ts'

/** User name and source of the password. */
interface BasicSettings {
  readonly username: string
  readonly passwordSecretId: string
  readonly secretsProvider: SecretsProvider
  /** `form`: both parts are form-urlencoded before they are put together (RFC 6749 section 2.3.1). */
  readonly encoding: 'plain' | 'form'
}

/** Why a user name can not stand in plain Basic credentials (RFC 7617 section 2); null where it can. */
export function usernameProblem(username: string): string | null {
  if (username.includes(':')) return 'expected a name without ":", which ends the name in Basic credentials'
  return hasControl(username) ? 'expected a name without control characters' : null
}

/**
 * Puts Basic credentials into each request, in place of whatever its Authorization was. A `client_id` that only named the
 * client leaves the form.
 */
export function basicAuthentication(settings: BasicSettings): Filter {
  const { passwordSecretId: secretId, secretsProvider } = settings
  let known: { readonly secret: Secret; readonly field: string } | null = null
  return async (exchange, next) => {
    // The provider keeps secrets for their lease: while it hands out the same one, the field is the same too.
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

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`
}

/** A value as it stands in `application/x-www-form-urlencoded`. */
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
