import type { Exchange } from '#http'

/**
 * Whether a browser sent the request for a page of the host of the request. `Sec-Fetch-Site` decides where it is there, which is over
 * TLS; otherwise `Origin`, without its scheme, since TLS may end in front of the gateway. A request with neither is not of a script or
 * form of another site.
 */
export function isOfOwnPage({ request: { headers }, originalUri }: Exchange): boolean {
  const sites = headers.all('sec-fetch-site')
  if (sites.length > 0) return sites.every((site) => site === 'same-origin' || site === 'none')
  return headers.all('origin').every((origin) => hostOf(origin) === hostOf(`http://${originalUri.authority}`))
}

/** Whether a page of another site sent the request, or redirected to it; a sibling host of the domain is of the same site. */
export function isFromOtherSite(exchange: Exchange): boolean {
  const sites = exchange.request.headers.all('sec-fetch-site')
  return sites.length > 0 ? sites.includes('cross-site') : !isOfOwnPage(exchange)
}

/** Host and port, without a default port; null for `null` and other texts. */
function hostOf(origin: string): string | null {
  if (!URL.canParse(origin)) return null
  const { protocol, hostname, port } = new URL(origin)
  const isDefault = port === '' || port === '80' || port === '443'
  return protocol === 'http:' || protocol === 'https:' ? `${hostname}${isDefault ? '' : `:${port}`}` : null
}
