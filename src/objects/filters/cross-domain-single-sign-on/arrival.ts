import { type Response, respond } from '#http'

/**
 * Sends a browser on to a page of this site, when another site has made it post here. To a request that another site began,
 * and to redirects of it, browsers add no cookie that is Strict: then a page of this site has to begin a new one.
 */
export function arrival(goto: string, sameSite: 'LAX' | 'STRICT' | 'NONE'): Response {
  const headers = { 'Cache-Control': 'no-store' }
  if (sameSite !== 'STRICT') return respond(302, { ...headers, Location: goto })
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
