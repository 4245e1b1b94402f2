import { escapeHtml, pageResponse, type Response, respond } from '#http'

/**
 * Sends a browser on to a page of this site, at the end of a way over another one. To a request that another site began, and
 * to redirects of it, browsers add no cookie that is Strict: with `byPage` a page of this site begins a new request. A
 * refresh without delay replaces the entry of that page in the history (HTML, "shared declarative refresh steps").
 */
export function arrival(goto: string, byPage: boolean): Response {
  if (!byPage) return respond(302, { 'Cache-Control': 'no-store', Location: goto })
  const page = { title: 'Logged in', text: '', link: { href: goto, label: 'Continue' } }
  return pageResponse(200, page, `<meta http-equiv="refresh" content="0;url=${escapeHtml(goto)}">`)
}
