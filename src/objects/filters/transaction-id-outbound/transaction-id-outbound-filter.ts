import { FilterKind } from '#contracts'
import type { Filter } from '#http'
import { defineType } from '#schema'

/** Sends the transaction id upstream, which joins log entries of several servers. */
export const TransactionIdOutboundFilter = defineType({
  name: 'TransactionIdOutboundFilter',
  kind: FilterKind,
  summary: 'Adds the transaction id to outgoing requests.',
  config: {},
  create: (_, { settings }) => sendTransactionId(settings.transactionIdHeader),
})

/**
 * Sends the id of the exchange, which was sanitized if it came from a request (threats B21). The header is set on a copy of the
 * request: repeated requests get different ids, and other branches none.
 */
function sendTransactionId(header: string): Filter {
  return (exchange, next) => {
    const request = exchange.request.clone()
    request.headers.set(header, exchange.transactionId.next())
    return next(exchange.withRequest(request))
  }
}
