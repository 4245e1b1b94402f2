import type { Exchange, Response, Uri } from '#http'
import { redirectTo } from '../am/am-logout.ts'
import { sameOriginGoto } from '../browser/same-origin-goto.ts'

/**
 * Redirects a navigation to the same URL without a marker, so that bookmarks and shared links do not contain it. `strip` removes the
 * marker and returns whether there was one. Null for requests without a marker, and for requests other than navigations.
 */
export function redirectWithoutMarker(exchange: Exchange, strip: (uri: Uri) => boolean): Response | null {
  const { originalUri, request } = exchange
  const { method, headers } = request
  const isOpened = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  if (method !== 'GET' || !isOpened) return null
  const copy = originalUri.clone()
  const clear = strip(copy) ? sameOriginGoto(copy.toString(), originalUri) : null
  return clear === null ? null : redirectTo(clear)
}
