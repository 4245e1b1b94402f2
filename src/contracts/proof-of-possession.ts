import type { Exchange } from '#http'

/** Internal exchanges by what they share with their children. */
const proved = new WeakSet<object>()

/** Notes that a request of the gateway is sent with a proof of possession (RFC 9449). */
export function markProofSent(exchange: Exchange): void {
  proved.add(exchange.attributes)
}

/** Whether a request was sent with a proof: then tokens in its answer are bound to the key of the proof. */
export function isProofSent(exchange: Exchange): boolean {
  return proved.has(exchange.attributes)
}
