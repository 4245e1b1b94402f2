import { escapeHtml, pageResponse, type Response, respond } from '#http'

/**
 * Redirects a browser to a page of this site after it came back from another one. Browsers omit SameSite=Strict cookies from a request
 * that another site started, and from its redirects: with `byPage` the response is a page that starts a new request. A refresh
 * without delay replaces that page in the history (HTML, "shared declarative refresh steps").
 */
export function returnRedirect(goto: string, byPage: boolean): Response {
  if (!byPage) return respond(302, { 'Cache-Control': 'no-store', Location: goto })
  const page = { title: 'Logged in', text: '', link: { href: goto, label: 'Continue' } }
  return pageResponse(200, page, `<meta http-equiv="refresh" content="0;url=${escapeHtml(goto)}">`)
}
