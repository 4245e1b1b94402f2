import type { Exchange } from '#http'
import { kind } from '#schema'

/** Returns the resource of a request, as policies name it. */
export interface ResourceUriProvider {
  resourceUri(exchange: Exchange): string | Promise<string>
}

export const ResourceUriProviderKind = kind<ResourceUriProvider>('ResourceUriProvider')
