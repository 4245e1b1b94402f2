import type { Request } from './request.ts'

/** Whether a browser sent the request for a page of another origin, which includes other ports of this host. */
export function isCrossOrigin(request: Request): boolean {
  const sites = request.headers.all('sec-fetch-site')
  if (sites.some((site) => site !== 'same-origin' && site !== 'none')) return true
  const own = request.uri.origin.toLowerCase()
  return request.headers.all('origin').some((origin) => origin.toLowerCase() !== own)
}
