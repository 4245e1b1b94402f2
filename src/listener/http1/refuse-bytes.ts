import { TransactionId } from '#http'
import type { ListenerContext } from '../listener-context.ts'
import type { Peer } from '../peer.ts'
import { recordRefusal } from '../record-refusal.ts'
import { type Refusal, rawRefusalResponse } from '../refusal.ts'

/** Records the refusal of bytes that are no request; returns the response to them. */
export function refuseBytes({ settings, clientLog }: ListenerContext, peer: Peer, reason: Refusal): Buffer {
  const { value: transactionId } = new TransactionId()
  const { message, bytes } = rawRefusalResponse(reason, transactionId, settings)
  clientLog.refused(peer.address, reason)
  recordRefusal(settings, { transactionId, peer, reason, line: null, bytes })
  return Buffer.from(message)
}
