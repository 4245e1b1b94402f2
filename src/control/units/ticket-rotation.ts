import { TICKET_PERIOD, TicketSecrets } from '#contracts'

/** Memory with the secrets of session tickets, rotated until it is disposed. */
export interface TicketRotation extends Disposable {
  readonly memory: SharedArrayBuffer
}

/** `inherited`: the memory of another process in base64, whose tickets stay valid. */
export function openTicketRotation(inherited: string | null = null): TicketRotation {
  const secrets = inherited === null ? TicketSecrets.create() : TicketSecrets.inherit(Buffer.from(inherited, 'base64'))
  const timer = setInterval(() => secrets.rotate(), TICKET_PERIOD).unref()
  return { memory: secrets.memory, [Symbol.dispose]: () => clearInterval(timer) }
}
