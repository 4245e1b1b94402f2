import {
  type ConnectorSettings,
  type DrainMessage,
  type ListeningSocket,
  type ServerTls,
  TicketSecrets,
  type UnitSettings,
} from '#contracts'
import type { AccessLog, ErrorResponses, RequestMeter, RequestObserver, RequestTracer, TemporaryStorage } from '#http'
import { type Listener, type ListenerCount, type ListenerSettings, listen } from '#listener'
import type { Logger } from '#logging'
import type { Unit } from './unit.ts'

/** A unit, the observer of its requests and their log. */
type ServedUnit = Pick<Unit, 'handler' | 'storage' | 'auditService'> & {
  readonly observer: RequestObserver | null
  readonly meter: RequestMeter
  readonly tracer: RequestTracer | null
  readonly accessLog: AccessLog | null
  readonly errors: ErrorResponses
}

/** The open ports of a unit. */
export class Connectors {
  readonly #listeners: readonly { listener: Listener; gracePeriod: number }[]

  private constructor(listeners: readonly { listener: Listener; gracePeriod: number }[]) {
    this.#listeners = listeners
  }

  /** Opens every port of every connector; all units open the same ones. `tls` is in the order of the connectors. */
  static async open(
    settings: UnitSettings,
    { handler, storage, auditService, observer, meter, tracer, accessLog, errors }: ServedUnit,
    logger: Logger,
    tls: readonly (ServerTls | null)[] = [],
  ): Promise<Connectors> {
    const opened: { listener: Listener; gracePeriod: number }[] = []
    const secrets = settings.tickets === null ? null : new TicketSecrets(settings.tickets)
    for (const [at, connector] of settings.connectors.entries()) {
      for (const port of connector.ports) {
        const listener = await listen(
          {
            ...listenerSettings(settings, connector, port, storage),
            audit: auditService?.access ?? null,
            accessLog,
            errors,
            observer,
            meter,
            tracer,
            reusePort: settings.reusePort,
            tls: tls[at] ?? null,
            tickets: secrets === null ? null : { secrets, scope: `connector ${at}` },
          },
          handler,
          logger,
        )
        opened.push({ listener, gracePeriod: connector.gracePeriod })
      }
    }
    return new Connectors(opened)
  }

  /** The ports, in the order of the settings; for port 0 the one the system assigned. */
  get ports(): number[] {
    return this.#listeners.map(({ listener }) => listener.port)
  }

  /** The listening sockets of all ports. */
  get sockets(): ListeningSocket[] {
    return this.#listeners.flatMap(({ listener }) => listener.sockets)
  }

  /** Open client connections. */
  get connections(): number {
    return this.#listeners.reduce((sum, { listener }) => sum + listener.stats.connections, 0)
  }

  counted(name: ListenerCount): number {
    return this.#listeners.reduce((sum, { listener }) => sum + listener.counts[name], 0)
  }

  /** Closes the listening sockets, when what they have queued is accepted. */
  async stopAccepting(): Promise<void> {
    await Promise.all(this.#listeners.map(({ listener }) => listener.stopAccepting()))
  }

  /** Drains all ports within the grace period of each connector; resolves to the number of aborted requests. */
  async drain(message: DrainMessage): Promise<number> {
    const results = await Promise.all(
      this.#listeners.map(({ listener, gracePeriod }) => listener.drain(gracePeriod, message)),
    )
    return results.reduce((sum, { aborted }) => sum + aborted, 0)
  }
}

/** Listener settings of one port of a connector. */
export function listenerSettings(
  { settings }: Pick<UnitSettings, 'settings'>,
  connector: ConnectorSettings,
  port: number,
  storage: TemporaryStorage,
): ListenerSettings {
  const { streamingEnabled: streaming, prefix: reservedPrefix, maxBodyLength, accessLog: _, ...rest } = settings
  const limits = streaming || maxBodyLength < 0 ? {} : { maxBodyBytes: maxBodyLength }
  return { ...rest, ...connector, port, reusePort: false, streaming, reservedPrefix, storage, ...limits }
}
