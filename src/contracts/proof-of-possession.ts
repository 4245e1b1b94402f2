import type { Exchange } from '#http'

/** Internal exchanges, by the object that they share with their children. */
const proved = new WeakSet<object>()

/** Records that an internal request is sent with a DPoP proof (RFC 9449). */
export function markProofSent(exchange: Exchange): void {
  proved.add(exchange.attributes)
}

/** Whether a request was sent with a DPoP proof: tokens in the response are then bound to its key. */
export function isProofSent(exchange: Exchange): boolean {
  return proved.has(exchange.attributes)
}
