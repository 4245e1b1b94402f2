import { type ContextKey, contextKey, type Response } from '#http'

/** How the user of a request logs in (again), as the filter knows that demanded the login. */
export interface LoginWay {
  /** Sends the browser to log in and then to `goto`; parameters say how to log in, such as advices. */
  begin(status: 302 | 307, goto: string, parameters: Readonly<Record<string, string>>): Response | Promise<Response>
}

/** The context `loginWay`. */
export const LoginWayContext: ContextKey<LoginWay> = contextKey<LoginWay>('loginWay')
