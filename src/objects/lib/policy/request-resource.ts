import type { ResourceUriProvider } from '#contracts'

/** The URI of the request as the filter sees it, which is what is sent on: what was decided about is what is done. */
export function requestResource(includeQuery: boolean): ResourceUriProvider {
  return {
    resourceUri: ({ request: { uri } }) => {
      const path = uri.rawPath === '' ? '/' : uri.rawPath
      const query = includeQuery && uri.rawQuery !== null && uri.rawQuery !== '' ? `?${uri.rawQuery}` : ''
      return `${uri.scheme}://${uri.authority}${path}${query}`
    },
  }
}
