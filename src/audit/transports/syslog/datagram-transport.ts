import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { type QueuedRecord, RecordRefused, type Transport, type TransportEnv } from '#durable-queue'
import { within } from '../within.ts'
import type { SyslogPlan } from './syslog-plan.ts'

/** Milliseconds after which the name of the host is resolved again. */
const MAX_AGE = 60_000

interface Connected {
  readonly socket: Socket
  readonly since: number
  /** The error that ICMP reported for an earlier datagram. */
  failure: Error | null
}

/**
 * Sends each record as a datagram (RFC 5426). Nothing confirms a datagram: a record counts as accepted when the kernel has
 * taken it. The socket is connected, so that a host that reports a closed port (ICMP) fails the next datagram.
 */
export class DatagramTransport implements Transport {
  readonly #plan: SyslogPlan
  readonly #env: TransportEnv
  #connected: Connected | null = null

  constructor(plan: SyslogPlan, env: TransportEnv) {
    this.#plan = plan
    this.#env = env
  }

  async send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const connected = await this.#connect(signal)
    try {
      for (const [index, { text }] of records.entries()) {
        signal.throwIfAborted()
        if (connected.failure !== null) throw connected.failure
        await within(
          this.#plan.sendTimeout,
          signal,
          'the datagram was not sent',
          sendDatagram(connected.socket, text, index),
        )
      }
      // The report of a closed port arrives with the next turn of the event loop.
      await new Promise(setImmediate)
      if (connected.failure !== null) throw connected.failure
    } catch (error) {
      if (!(error instanceof RecordRefused)) this.#disconnect()
      throw error
    }
  }

  async close(): Promise<void> {
    this.#disconnect()
  }

  async #connect(signal: AbortSignal): Promise<Connected> {
    const now = this.#env.clock.monotonic()
    if (this.#connected !== null && now - this.#connected.since < MAX_AGE) return this.#connected
    this.#disconnect()
    const { host, port, connectTimeout } = this.#plan
    const { address, family } = await within(connectTimeout, signal, `${host} was not resolved`, lookup(host))
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    const connected: Connected = { socket, since: now, failure: null }
    socket.on('error', (error) => {
      connected.failure = error
    })
    socket.unref()
    try {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      // Called with the error where the network can not be reached, which the types of Node do not say.
      socket.connect(port, address, (error?: Error) => (error ? reject(error) : resolve()))
      await within(connectTimeout, signal, `no socket for ${host}`, promise)
    } catch (error) {
      socket.close()
      throw error
    }
    this.#connected = connected
    return connected
  }

  #disconnect(): void {
    this.#connected?.socket.close()
    this.#connected = null
  }
}

function sendDatagram(socket: Socket, text: string, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(text, (error) => {
      if (error === null) resolve()
      else if ((error as NodeJS.ErrnoException).code === 'EMSGSIZE')
        reject(new RecordRefused(index, 'too long for a datagram'))
      else reject(error)
    })
  })
}
