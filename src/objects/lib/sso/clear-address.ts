import type { Exchange, Response, Uri } from '#http'
import { sameOriginGoto } from '../goto/same-origin-goto.ts'
import { landing } from './am-logout.ts'

/**
 * Redirects a browser that opens a page to the same page without a marker in its URL: the address bar is what people keep and send to
 * others. `strip` removes the marker and says whether there was one. Null for requests without marker, and for those that are no page
 * that a person opens.
 */
export function clearAddress(exchange: Exchange, strip: (uri: Uri) => boolean): Response | null {
  const { originalUri, request } = exchange
  const { method, headers } = request
  const isOpened = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  if (method !== 'GET' || !isOpened) return null
  const copy = originalUri.clone()
  const clear = strip(copy) ? sameOriginGoto(copy.toString(), originalUri) : null
  return clear === null ? null : landing(clear)
}
