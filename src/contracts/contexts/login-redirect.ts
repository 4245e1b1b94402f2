import { type ContextKey, contextKey, type Response, type Uri } from '#http'

/** Redirects the user of a request to the login page; set by the filter that required the login. */
export interface LoginRedirect {
  /** Redirects to the login page, which then redirects to `goto`; with an advice, to a login that fulfils it. */
  begin(status: 302 | 307, goto: string, advice?: LoginAdvice): Response | Promise<Response>
  /** Removes query parameters by which the login filter recognises its own redirects. */
  stripMarker(uri: Uri): void
}

/** Composite advice of a policy decision. */
export interface LoginAdvice {
  /** XML form. */
  readonly xml: string
  /** `authIndexValue`: the XML itself, or its encoding. */
  readonly value: string
}

/** The context `loginWay`. */
export const LoginRedirectContext: ContextKey<LoginRedirect> = contextKey<LoginRedirect>('loginWay')
