import type { AccessToken, AccessTokenResolver, TokenRejection } from '#contracts'
import type { Exchange } from '#http'
import { isPlainObject } from '#json'

/** The confirmation of a token. */
type Binding = 'none' | 'other' | { readonly thumbprint: string }

/** The thumbprint in the `cnf` claim of a token (RFC 7800 section 3.1); `other` where another confirmation method is used. */
export function bindingOf({ info }: AccessToken, method: 'jkt' | 'x5t#S256'): Binding {
  const cnf = Object.hasOwn(info, 'cnf') ? info['cnf'] : null
  if (cnf === null) return 'none'
  const thumbprint = isPlainObject(cnf) && Object.hasOwn(cnf, method) ? cnf[method] : null
  return typeof thumbprint === 'string' && thumbprint !== '' ? { thumbprint } : 'other'
}

/** Whether a token is bound to a key or certificate of its client. */
export function isBound({ info }: AccessToken): boolean {
  return Object.hasOwn(info, 'cnf') && info['cnf'] !== null
}

type Admit = NonNullable<AccessTokenResolver['admit']>

/**
 * A resolver with an additional check of each request, before that of the delegate. The check is in `admit`, which runs for cached
 * tokens too: a cached resolution does not prove who sent the request.
 */
export function withAdmission(
  delegate: AccessTokenResolver,
  schemes: NonNullable<AccessTokenResolver['schemes']>,
  check: Admit,
): AccessTokenResolver {
  const { admit, watch, accessManagers } = delegate
  const both: Admit = async (accessToken, exchange) =>
    (await check(accessToken, exchange)) ?? (await admit?.call(delegate, accessToken, exchange)) ?? null
  return {
    schemes,
    ...(accessManagers !== undefined && { accessManagers }),
    resolve: (token, exchange) => delegate.resolve(token, exchange),
    admit: admit === undefined ? check : both,
    // `check` refuses every binding that it can not verify.
    verifiesBinding: () => true,
    ...(watch !== undefined && { watch: watch.bind(delegate) }),
  }
}

/** The authentication scheme of the token of a request. */
export function schemeOf({ request }: Exchange): 'Bearer' | 'DPoP' | null {
  const word = /^(bearer|dpop) /i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (word === undefined) return null
  return word.length === 4 ? 'DPoP' : 'Bearer'
}

/** The refusal of an invalid token. The description is sent to the client. */
export function invalidToken(description: string): TokenRejection {
  return { outcome: 'invalid', description }
}
