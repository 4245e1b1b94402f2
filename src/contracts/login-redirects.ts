import type { Exchange, Response } from '#http'

const redirects = new WeakSet<Response>()

/** Marks a redirect of a browser to a login page, for filters before the login filter. */
export function markLoginRedirect(response: Response): Response {
  redirects.add(response)
  return response
}

/** Whether a login filter redirects the browser to a login page. */
export function isLoginRedirect(response: Response): boolean {
  return redirects.has(response)
}

/** Exchanges by the object that they share with their children. */
const preserved = new WeakSet<object>()

/** Records that the content of a request is not lost by a redirect to a login page. */
export function markContentPreserved(exchange: Exchange): void {
  preserved.add(exchange.attributes)
}

/** Whether a request with content may be redirected to a login page. */
export function isContentPreserved(exchange: Exchange): boolean {
  return preserved.has(exchange.attributes)
}
