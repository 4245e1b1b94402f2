import { TICKET_PERIOD, TicketSecrets } from '#contracts'

/** Memory with the secrets of session tickets, rotated until it is disposed. */
export interface TicketRotation extends Disposable {
  readonly memory: SharedArrayBuffer
}

export function openTicketRotation(): TicketRotation {
  const secrets = TicketSecrets.create()
  const timer = setInterval(() => secrets.rotate(), TICKET_PERIOD).unref()
  return { memory: secrets.memory, [Symbol.dispose]: () => clearInterval(timer) }
}
