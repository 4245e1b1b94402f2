import type { Exchange } from '#http'
import { kind } from '#schema'

/** Says which resource a request is about, as policies name it. */
export interface ResourceUriProvider {
  resourceUri(exchange: Exchange): string | Promise<string>
}

/** Objects that say which resource a request is about. */
export const ResourceUriProviderKind = kind<ResourceUriProvider>('ResourceUriProvider')
