import { type ContextKey, contextKey, type Response, type Uri } from '#http'

/** How the user of a request logs in (again); set by the filter that required the login. */
export interface LoginWay {
  /** Sends the browser to log in and then to `goto`; with an advice, to log in as it demands. */
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
export const LoginWayContext: ContextKey<LoginWay> = contextKey<LoginWay>('loginWay')
