import { LoginRedirectContext, type ResourceUriProvider } from '#contracts'
import type { Exchange, Uri } from '#http'
import { takeAdviceMarker } from './advice-marker.ts'
import { removeTransactionId } from './transaction.ts'

/** Which URI of a request names the resource. */
interface RequestResourceSettings {
  readonly includeQuery: boolean
  /** The URI before `baseURI` and rewriting, in place of the one that is sent on. */
  readonly useOriginalUri: boolean
}

/** The URI of the request as the filter sees it, or as the client sent it, without parameters that the gateway itself has added. */
export function requestResource({ includeQuery, useOriginalUri }: RequestResourceSettings): ResourceUriProvider {
  return {
    resourceUri: (exchange) => textOf(useOriginalUri ? originalUri(exchange) : exchange.request.uri, includeQuery),
  }
}

function textOf(uri: Uri, includeQuery: boolean): string {
  const path = uri.rawPath === '' ? '/' : uri.rawPath
  const query = includeQuery && uri.rawQuery !== null && uri.rawQuery !== '' ? `?${uri.rawQuery}` : ''
  return `${uri.scheme}://${uri.authority}${path}${query}`
}

function originalUri(exchange: Exchange): Uri {
  const uri = exchange.originalUri.clone()
  removeTransactionId(uri)
  takeAdviceMarker(uri)
  exchange.context(LoginRedirectContext)?.stripMarker(uri)
  return uri
}
