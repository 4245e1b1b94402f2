// The broker's side of AMQP 1.0 by the same library, with faults on demand.
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Delivery, EventContext, Message, Receiver } from 'rhea'
import rhea from 'rhea'

type Outcome = 'accept' | 'reject' | 'release' | 'modified' | 'ignore'

export interface AmqpBrokerOptions {
  readonly user?: { readonly name: string; readonly password: string }
  readonly maxMessageSize?: number
  /** Messages that may be sent at first; further credit with `addCredit`. */
  readonly credit?: number
  readonly answer?: (message: Message) => Outcome
  readonly condition?: string
  /** Refuses links. */
  readonly refuses?: string
}

export class AmqpBroker implements AsyncDisposable {
  readonly messages: Message[] = []
  readonly sockets = new Set<Socket>()
  /** Address and capabilities of the last link. */
  target: { readonly address?: string; readonly capabilities?: unknown } | null = null
  readonly #server: Server
  #receiver: Receiver | null = null

  private constructor(options: AmqpBrokerOptions) {
    const container = rhea.create_container({ id: 'broker' })
    const { user, credit = 1_000, condition = 'amqp:not-allowed' } = options
    if (user !== undefined) {
      container.sasl_server_mechanisms.enable_plain(
        (name: string, password: string) => name === user.name && password === user.password,
      )
    }
    container.on('receiver_open', ({ receiver }: EventContext) => {
      if (receiver === undefined) return
      this.#receiver = receiver
      this.target = receiver.target as typeof this.target
      receiver.set_target(receiver.target)
      if (options.refuses === undefined) receiver.add_credit(credit)
      else receiver.close({ condition: options.refuses, description: 'no such address' })
    })
    container.on('message', ({ message, delivery }: EventContext) => {
      this.messages.push(message as Message)
      const outcome = options.answer?.(message as Message) ?? 'accept'
      // In a turn of its own: the library may send two different outcomes of one turn as one.
      if (outcome === 'accept') settle(delivery as Delivery, outcome, condition)
      else setTimeout(settle, 10, delivery as Delivery, outcome, condition)
      if (options.credit === undefined) this.#receiver?.add_credit(1)
    })
    for (const event of ['disconnected', 'error', 'protocol_error', 'connection_error', 'connection_close']) {
      container.on(event, () => {})
    }
    this.#server = container.listen({
      port: 0,
      host: '127.0.0.1',
      receiver_options: {
        autoaccept: false,
        credit_window: 0,
        ...(options.maxMessageSize === undefined ? {} : { max_message_size: options.maxMessageSize }),
      },
    } as never)
    this.#server.on('connection', (socket: Socket) => {
      this.sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.sockets.delete(socket)
        // The library stops its timers at the end of the peer's data, not when a socket is destroyed.
        socket.emit('end')
      })
    })
  }

  static async start(options: AmqpBrokerOptions = {}): Promise<AmqpBroker> {
    const broker = new AmqpBroker(options)
    if (!broker.#server.listening) await once(broker.#server, 'listening')
    return broker
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  addCredit(credit: number): void {
    this.#receiver?.add_credit(credit)
  }

  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function settle(delivery: Delivery, outcome: Outcome, condition: string): void {
  if (outcome === 'accept') delivery.accept()
  if (outcome === 'reject') delivery.reject({ condition, description: 'not this one' })
  if (outcome === 'release') delivery.release()
  if (outcome === 'modified') delivery.modified({ delivery_failed: true, undeliverable_here: false })
}
