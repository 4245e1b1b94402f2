import { crestError } from '#crest'
import type { Filter, Request } from '#http'

/** Rejects bodies beyond a limit that is lower than that of the listener, except those of some requests. */
export function bodyLimit(maxBytes: number, isExempt: (request: Request) => boolean): Filter {
  return async (exchange, next) => {
    const { request } = exchange
    // A body without a length is limited where it is read.
    const length = Number(request.headers.get('content-length') ?? 0)
    if (length > maxBytes && !isExempt(request))
      return crestError(
        413,
        `the request is refused: a Content-Length of ${length} bytes, over the limit of ${maxBytes}`,
      )
    return next(exchange)
  }
}
