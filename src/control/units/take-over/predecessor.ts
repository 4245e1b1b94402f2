import { unlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { QueuedRecord } from '#durable-queue'
import { HEARTBEAT, type HeartbeatLimits, type Remote } from '#rpc'
import { systemClock } from '#schema'
import { KeyValueStore } from '../../records/key-value-store.ts'
import {
  HANDOVER_PROTOCOL,
  PREDECESSOR_CALLS,
  type RunningGateway,
  type SharedConnector,
  type SUCCESSOR_CALLS,
} from './handover-calls.ts'
import { openLink } from './handover-link.ts'
import { connectToRunning, hasEnded, TakeOverError } from './handover-socket.ts'
import { OwnedStore } from './owned-store.ts'

/** The gateway of the same instance that runs, and from which this process takes over. */
export class Predecessor {
  readonly running: RunningGateway
  /** The copy of its key-value store. */
  readonly store: OwnedStore
  readonly #link: PredecessorLink

  private constructor(running: RunningGateway, link: PredecessorLink) {
    this.running = running
    this.store = link.store
    this.#link = link
  }

  /** The gateway that runs; null without one. Throws TakeOverError where it can not be taken over. */
  static async find(path: string, version: string, heartbeat = HEARTBEAT): Promise<Predecessor | null> {
    const socket = await connectToRunning(path)
    if (socket === null) return null
    const link = new PredecessorLink(path, socket, heartbeat)
    const running = await link.orAlone(() =>
      link.remote.begin({ protocol: HANDOVER_PROTOCOL, pid: process.pid, version }),
    )
    if (running === null) return null
    link.pid = running.pid
    return new Predecessor(running, link)
  }

  /** Resolves when this process alone may open the files that only one writes; rejects where the other goes on. */
  get filesReleased(): Promise<void> {
    return this.#link.outcome.promise
  }

  /** Copies the records; the other executes all calls until the switch. Its audit events for a file are received from then on. */
  async copy(auditRecords: PredecessorLink['auditRecords']): Promise<void> {
    this.#link.auditRecords = auditRecords
    await this.#link.orAlone(async () => {
      while (!(await this.#link.remote.copy()));
    })
  }

  /**
   * This process serves: takes the place of the other, which accepts nothing more. Throws TakeOverError where the other goes on in its
   * place, and another error where it does not say that it has stopped.
   */
  async switch(): Promise<void> {
    await this.#link.orAlone(async () => {
      await this.#link.remote.switch()
      if (!this.#link.hasTaken) throw new Error('the gateway that runs has not handed over')
    })
  }

  /** This process does not take over, or the other has ended. */
  close(): void {
    this.#link.socket.destroy()
  }
}

/** The connection to a predecessor. */
class PredecessorLink {
  readonly socket: Socket
  readonly remote: Remote<typeof PREDECESSOR_CALLS>
  readonly store = new OwnedStore(new KeyValueStore(systemClock))
  /** Resolves when this process has taken the place of the other, or the other has ended; rejects where the other goes on. */
  readonly outcome = Promise.withResolvers<void>()
  auditRecords: (file: string, records: readonly QueuedRecord[]) => boolean = () => false
  hasTaken = false
  /** Process id of the other, when it is known. */
  pid = 0

  constructor(path: string, socket: Socket, heartbeat: HeartbeatLimits) {
    this.socket = socket
    this.outcome.promise.catch(() => {})
    const link = openLink<typeof PREDECESSOR_CALLS, typeof SUCCESSOR_CALLS>(
      socket,
      {
        peer: 'the gateway that runs',
        remote: PREDECESSOR_CALLS,
        handlers: {
          ...this.store.notices,
          take: ({ file }) => this.#take(file),
          auditRecords: ({ file, records }) => this.auditRecords(file, records),
        },
      },
      heartbeat,
    )
    this.remote = link.remote
    this.store.copyFrom(link)
    socket.once('close', () => void this.#closed(path))
  }

  /** Null where a call fails because the other has ended: this process goes on alone. */
  async orAlone<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call()
    } catch (error) {
      if (this.hasTaken) throw error
      this.socket.destroy()
      await this.outcome.promise.catch((refusal: Error) => {
        throw new TakeOverError(`${(error as Error).message}; ${refusal.message}`)
      })
      return null
    }
  }

  /** In one turn: calls that follow are executed here. Throws where the other has removed the file, since it goes on. */
  #take(file: string): void {
    unlinkSync(file)
    this.hasTaken = true
    this.store.own()
    this.outcome.resolve()
  }

  async #closed(path: string): Promise<void> {
    if (this.hasTaken || (await hasEnded(path, this.pid))) {
      this.store.own(null)
      this.outcome.resolve()
    } else {
      this.store.lose()
      this.outcome.reject(new TakeOverError('it keeps serving'))
    }
  }
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
