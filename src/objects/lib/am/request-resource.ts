import { LoginRedirectContext, type ResourceUriProvider } from '#contracts'
import type { Exchange, Uri } from '#http'
import { takeAdviceMarker } from './advice-marker.ts'
import { removeTransactionId } from './transaction.ts'

interface RequestResourceSettings {
  readonly includeQuery: boolean
  /** Use the URI before `baseURI` and rewriting, instead of the one sent upstream. */
  readonly useOriginalUri: boolean
}

/** Provides the current or the original URI of the request, without parameters that the gateway added. */
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
