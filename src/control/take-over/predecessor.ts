import type { Socket } from 'node:net'
import type { AuditRecord } from '#audit'
import { Channel, type Remote } from '#rpc'
import {
  HANDOVER_PROTOCOL,
  PREDECESSOR_CALLS,
  type RunningGateway,
  type SharedConnector,
  type SUCCESSOR_CALLS,
} from './handover-calls.ts'
import { connectToRunning, TakeOverError } from './handover-socket.ts'
import type { OwnedStore } from './owned-store.ts'
import { SocketPort } from './socket-port.ts'

/** What a predecessor sends while it ends. */
interface Receiver {
  readonly store: OwnedStore
  /** Audit events for a file; false where this process does not write it. */
  auditRecords(file: string, records: readonly AuditRecord[]): boolean
}

/** The gateway of the same instance that runs, and from which this process takes over. */
export class Predecessor {
  readonly running: RunningGateway
  /** Resolves when this process may open the files that only one process writes. */
  readonly filesReleased: Promise<void>
  readonly #socket: Socket
  readonly #remote: Remote<typeof PREDECESSOR_CALLS>
  readonly #released = Promise.withResolvers<void>()
  readonly #receiver: { current: Receiver | null }

  private constructor(
    running: RunningGateway,
    parts: { socket: Socket; remote: Remote<typeof PREDECESSOR_CALLS>; receiver: { current: Receiver | null } },
  ) {
    this.running = running
    this.#socket = parts.socket
    this.#remote = parts.remote
    this.#receiver = parts.receiver
    this.filesReleased = this.#released.promise
    // It has ended, and its files with it.
    parts.socket.once('close', () => this.#released.resolve())
  }

  /** The gateway that runs; null without one. Throws TakeOverError where it can not be taken over. */
  static async find(path: string, version: string): Promise<Predecessor | null> {
    const socket = await connectToRunning(path)
    if (socket === null) return null
    const receiver: { current: Receiver | null } = { current: null }
    const channel = new Channel<typeof PREDECESSOR_CALLS, typeof SUCCESSOR_CALLS>(new SocketPort(socket), {
      peer: 'the gateway that runs',
      remote: PREDECESSOR_CALLS,
      handlers: {
        storeGet: (call, context) => storeOf(receiver).storeGet(call, context),
        storeUpdate: (call, context) => storeOf(receiver).storeUpdate(call, context),
        storeGetAndDelete: (call, context) => storeOf(receiver).storeGetAndDelete(call, context),
        storeGetOrCreate: (call, context) => storeOf(receiver).storeGetOrCreate(call, context),
        auditRecords: ({ file, records }) => receiver.current?.auditRecords(file, records) ?? false,
      },
      onFault: () => socket.destroy(),
    })
    socket.once('close', () => channel.close())
    const { remote } = channel
    try {
      const running = await remote.begin({ protocol: HANDOVER_PROTOCOL, pid: process.pid, version })
      return new Predecessor(running, { socket, remote, receiver })
    } catch (error) {
      socket.destroy()
      throw new TakeOverError(`${(error as Error).message}; nothing has changed`)
    }
  }

  /** Copies the records of its key-value store; from then on its units use this one. */
  async copyTo(receiver: Receiver): Promise<void> {
    this.#receiver.current = receiver
    for (;;) {
      const { records, isLast } = await this.#remote.records()
      receiver.store.keep(records)
      if (isLast) return
    }
  }

  /** This process serves: resolves when the other accepts nothing more. */
  async ready(): Promise<void> {
    await this.#remote.ready()
    this.#released.resolve()
  }

  /** This process does not take over, or the other has ended. */
  close(): void {
    this.#released.resolve()
    this.#socket.destroy()
  }
}

function storeOf({ current }: { readonly current: Receiver | null }): OwnedStore['successorHandlers'] {
  if (current === null) throw new Error('the successor does not own the store yet')
  return current.store.successorHandlers
}

/** The connectors with the ports of those that run, where they have port 0; throws TakeOverError for other addresses. */
export function portsOf<C extends SharedConnector>(wanted: readonly C[], running: readonly SharedConnector[]): C[] {
  const text = (connectors: readonly SharedConnector[]): string =>
    connectors.map(({ host, ports, secure }) => `${secure ? 'https' : 'http'} ${host}:${ports.join(',')}`).join('; ')
  const isSame = (connector: C, other: SharedConnector | undefined): boolean =>
    other !== undefined &&
    other.host === connector.host &&
    other.secure === connector.secure &&
    other.ports.length === connector.ports.length &&
    connector.ports.every((port, at) => port === 0 || port === other.ports[at])
  if (wanted.length !== running.length || !wanted.every((connector, at) => isSame(connector, running[at]))) {
    throw new TakeOverError(
      `the connectors of admin.json are ${text(wanted)}, those of the gateway that runs are ${text(running)}; only a gateway with the same ones can take over: stop it, then start this one`,
    )
  }
  return wanted.map((connector, at) => ({ ...connector, ports: (running[at] as SharedConnector).ports }))
}
