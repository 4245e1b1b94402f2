import { type Response, respond } from '#http'

/**
 * Sends a browser on to a page of this site, at the end of a way over another one. To a request that another site began, and
 * to redirects of it, browsers add no cookie that is Strict: with `byPage` a page of this site begins a new request.
 */
export function arrival(goto: string, byPage: boolean): Response {
  const headers = { 'Cache-Control': 'no-store' }
  if (!byPage) return respond(302, { ...headers, Location: goto })
  const address = escaped(goto)
  return respond(
    200,
    {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
    },
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><title>Logged in</title><a href="${address}">Continue</a></html>\n`,
  )
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
