import { FilterKind } from '#contracts'
import type { Filter } from '#http'
import { defineType } from '#schema'

/** Lets the logs of several servers be read together. */
export const TransactionIdOutboundFilter = defineType({
  name: 'TransactionIdOutboundFilter',
  kind: FilterKind,
  summary: 'Sends the transaction id of the request on, so that the logs of several servers can be read together.',
  config: {},
  create: (_, { settings }) => sendTransactionId(settings.transactionIdHeader),
})

/**
 * The value is the exchange's own id, which is made harmless where it was taken from a request (threats B21). It is put
 * on a copy: what calls twice gets two ids, and other branches send none.
 */
function sendTransactionId(header: string): Filter {
  return (exchange, next) => {
    const request = exchange.request.clone()
    request.headers.set(header, exchange.transactionId.next())
    return next(exchange.withRequest(request))
  }
}
