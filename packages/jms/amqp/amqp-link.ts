import { randomUUID } from 'node:crypto'
import type { Connection, ConnectionOptions, Delivery, EventContext, Sender } from 'rhea'
import type { BrokerLink, OpenLink } from '../failover-producer.ts'
import { JmsError, MessageRefused, reasonOf } from '../jms-error.ts'
import type { JmsMessage, ProducerEnv } from '../producer.ts'
import type { Endpoint, ProducerPlan } from '../producer-plan.ts'
import { Progress } from '../progress.ts'
import { openSocket } from '../socket.ts'
import { MAX_FRAME_SIZE } from './amqp-frames.ts'
import { CheckedSocket } from './checked-socket.ts'
import { type AmqpFailure, describe, Outcomes } from './outcomes.ts'
import { saslMechanisms } from './sasl-mechanisms.ts'
import { textMessageEncoder } from './text-message.ts'

type Rhea = typeof import('rhea')

/** Messages without outcome; the library keeps up to 2,048. */
const MAX_UNSETTLED = 1_000
const CLOSE_TIMEOUT = 1_000

/** Opens connections, each with one session and one sending link. */
export function amqpLinks(plan: ProducerPlan, env: ProducerEnv): OpenLink {
  return (endpoint, signal) => openAmqpLink(plan, env, endpoint, signal)
}

async function openAmqpLink(
  plan: ProducerPlan,
  env: ProducerEnv,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<BrokerLink> {
  // Loaded with the first connection: gateways without AMQP do not need its memory.
  const { default: rhea } = (await import('rhea')) as unknown as { default: Rhea }
  const socket = await openSocket(endpoint, plan.tls, env, signal)
  const progress = new Progress()
  const checked = new CheckedSocket(
    socket,
    () => progress.changed(),
    (reason) => progress.fail(new JmsError(reason)),
  )
  const link = new AmqpLink(rhea, checked, progress, plan, env)
  await link.open(endpoint, signal)
  return link
}

class AmqpLink implements BrokerLink {
  readonly #rhea: Rhea
  readonly #socket: CheckedSocket
  readonly #progress: Progress
  readonly #plan: ProducerPlan
  readonly #encode: (message: JmsMessage) => Buffer
  readonly #outcomes = new Outcomes<Delivery>()
  #connection: Connection | null = null
  #sender: Sender | null = null
  #isClosed = false

  constructor(rhea: Rhea, socket: CheckedSocket, progress: Progress, plan: ProducerPlan, { clock }: ProducerEnv) {
    this.#rhea = rhea
    this.#socket = socket
    this.#progress = progress
    this.#plan = plan
    this.#encode = textMessageEncoder(rhea, plan, clock)
  }

  get isOpen(): boolean {
    return this.#progress.failure === null
  }

  open(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    return this.#guard(signal, async () => {
      const { connectTimeout } = endpoint
      const { destination } = this.#plan.connection
      const connection = this.#rhea.create_container().create_connection(this.#options(endpoint))
      this.#connection = connection
      this.#listen(connection)
      connection.connect()
      await this.#progress.until(() => connection.is_open(), connectTimeout, 'no answer of an AMQP broker')
      const sender = connection.open_sender({
        name: `identity-gateway-${randomUUID()}`,
        target: { address: destination.name, capabilities: [destination.kind] },
        snd_settle_mode: 0,
      })
      this.#sender = sender
      limitDispositions(sender)
      await this.#progress.until(() => sender.is_open(), connectTimeout, 'no answer to the link')
    })
  }

  async send(messages: readonly JmsMessage[], signal: AbortSignal): Promise<void> {
    const refused = await this.#guard(signal, () => this.#sendAll(messages))
    if (refused !== null) throw refused
  }

  async close(): Promise<void> {
    if (!this.isOpen) return
    this.#connection?.close()
    await this.#progress.until(() => this.#isClosed, CLOSE_TIMEOUT, 'no answer to the close').catch(() => {})
    this.#fail('closed')
  }

  async #sendAll(messages: readonly JmsMessage[]): Promise<MessageRefused | null> {
    const sender = this.#sender as Sender
    const { sendTimeout } = this.#plan.connection
    const maxSize = Number(sender.max_message_size ?? 0) || Number.POSITIVE_INFINITY
    let tooLarge: MessageRefused | null = null
    for (const [index, message] of messages.entries()) {
      const payload = this.#encode(message)
      if (payload.length > maxSize) {
        tooLarge = new MessageRefused(index, `the message exceeds the broker's limit of ${maxSize} bytes`)
        break
      }
      const hasRoom = (): boolean =>
        sender.sendable() && this.#outcomes.waiting < MAX_UNSETTLED && !this.#socket.needsDrain
      await this.#progress.until(hasRoom, sendTimeout, 'no credit for messages (the broker may limit producers)')
      this.#outcomes.expect(sender.send(payload as never, undefined, 0), index)
    }
    await this.#progress.until(() => this.#outcomes.waiting === 0, sendTimeout, 'no acknowledgement of messages')
    return this.#outcomes.refusal() ?? tooLarge
  }

  #options(endpoint: Endpoint): ConnectionOptions {
    const { connection, tls } = this.#plan
    const { userName, password } = connection
    return {
      container_id: connection.clientId ?? `ID:identity-gateway-${randomUUID()}`,
      hostname: endpoint.virtualHost ?? endpoint.host,
      sasl_init_hostname: endpoint.virtualHost ?? endpoint.host,
      max_frame_size: MAX_FRAME_SIZE,
      ...(endpoint.idleTimeout === 0 ? {} : { idle_time_out: endpoint.idleTimeout }),
      reconnect: false,
      sasl_mechanisms: saslMechanisms({
        userName,
        password,
        hasCertificate: endpoint.tls !== null && tls?.cert !== undefined,
        allowed: endpoint.saslMechanisms,
      }),
      connection_details: () => ({
        host: endpoint.host,
        port: endpoint.port,
        connect: (_port: number, _host: string, _options: unknown, connected: () => void) => {
          process.nextTick(connected)
          return this.#socket
        },
      }),
    } as unknown as ConnectionOptions
  }

  /** Every event of the library that would be written to the console or thrown without a listener has one. */
  #listen(connection: Connection): void {
    const on = (name: string, listener: (context: EventContext) => void): void => {
      connection.on(name, listener as never)
    }
    const failing = (failureOf: (context: EventContext) => unknown, otherwise: string) => (context: EventContext) =>
      this.#fail(describe(failureOf(context) as AmqpFailure | undefined, otherwise))
    on('connection_open', () => this.#progress.changed())
    on('sender_open', () => this.#progress.changed())
    on('sendable', () => this.#progress.changed())
    on('connection_error', ({ connection, error }) => {
      this.#fail(describe((connection?.error ?? error) as AmqpFailure, reasonOf(error ?? 'connection error')))
    })
    on('connection_close', () => {
      this.#isClosed = true
      this.#progress.changed()
      this.#fail('the broker closed the connection')
    })
    on(
      'session_error',
      failing(({ session }) => session?.error, 'session error'),
    )
    on('session_close', () => this.#fail('the broker closed the session'))
    on(
      'sender_error',
      failing(({ sender }) => sender?.error, 'link error'),
    )
    on('sender_close', () => this.#fail('the broker closed the link'))
    on('disconnected', ({ error }) => this.#fail(error === undefined ? 'disconnected' : reasonOf(error)))
    connection.on('protocol_error', (error: unknown) => this.#fail(reasonOf(error)))
    connection.on('error', (error: unknown) => this.#fail(reasonOf(error)))
    for (const outcome of ['accepted', 'rejected', 'released', 'modified']) {
      on(outcome, ({ delivery }) => {
        if (delivery === undefined) return
        const state = delivery.remote_state as { readonly error?: AmqpFailure } | undefined
        this.#outcomes.settle(delivery, outcome, state?.error ?? null)
        this.#progress.changed()
      })
    }
  }

  #fail(reason: string): void {
    this.#progress.fail(new JmsError(reason))
    this.#socket.destroy()
  }

  /** Runs an exchange with the broker. It fails when the signal aborts, and a failure closes the connection. */
  async #guard<T>(signal: AbortSignal, exchange: () => Promise<T>): Promise<T> {
    const onAbort = (): void => this.#fail('aborted')
    signal.addEventListener('abort', onAbort)
    try {
      if (signal.aborted) onAbort()
      return await exchange()
    } catch (error) {
      this.#fail(reasonOf(error))
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}

/** The library visits each delivery of a disposition, also those that were never sent: up to 2^32 of them. */
function limitDispositions(sender: Sender): void {
  const { outgoing } = sender.session as unknown as {
    outgoing: {
      next_delivery_id: number
      on_disposition(fields: { first: number; last?: number }): void
    }
  }
  const visit = outgoing.on_disposition
  outgoing.on_disposition = (fields) => {
    const { first, last = first } = fields
    if (last - first > outgoing.next_delivery_id) throw new JmsError('a disposition of messages that were not sent')
    visit.call(outgoing, fields)
  }
}
