import { existsSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { dirname } from 'node:path'
import { makeDirectory } from '#files'
import type { Logger } from '#logging'
import { Channel, type Remote } from '#rpc'
import { EVENTS } from '../log-events.ts'
import { HANDOVER_PROTOCOL, type PREDECESSOR_CALLS, type RunningGateway, SUCCESSOR_CALLS } from './handover-calls.ts'
import { listenForSuccessors } from './handover-socket.ts'
import type { OwnedStore } from './owned-store.ts'
import { SocketPort } from './socket-port.ts'

/** The gateway that hands over. */
interface HandoverSource {
  readonly store: OwnedStore
  readonly running: RunningGateway
  /** Why it can not hand over now; null where it can. */
  readonly obstacle: string | null
  /** Accepts nothing more, and closes the files that one process alone writes; later events go to the successor. */
  handOver(successor: Remote<typeof SUCCESSOR_CALLS>): Promise<void>
}

/** Connections at a time: one takes over, another gets the reason why it can not. */
const MAX_CONNECTIONS = 4
/** Milliseconds for the first call of a connection. */
const BEGIN_LIMIT = 5_000
/** Milliseconds between looks at the socket: folders named tmp are cleaned, by people and by programs. */
const LOOK_INTERVAL = 5_000

/** Waits for a gateway of the same instance that takes over (`gateway run --take-over`). */
export class Successors implements Disposable {
  readonly #source: HandoverSource
  readonly #logger: Logger
  readonly #taken = Promise.withResolvers<{ pid: number }>()
  #server: Server | null = null
  #current: Socket | null = null
  readonly #lookInterval: number
  #looks: NodeJS.Timeout | null = null

  constructor(source: HandoverSource, logger: Logger, { lookInterval = LOOK_INTERVAL } = {}) {
    this.#source = source
    this.#logger = logger
    this.#lookInterval = lookInterval
  }

  /** Resolves when a successor serves in the place of this process, which then drains. */
  get taken(): Promise<{ readonly pid: number }> {
    return this.#taken.promise
  }

  /** Listens until a successor has taken over, and again where the socket is deleted. */
  async listen(path: string): Promise<void> {
    await this.#open(path)
    this.#looks = setInterval(() => void this.#look(path), this.#lookInterval).unref()
  }

  async #look(path: string): Promise<void> {
    if (this.#server === null || this.#current !== null || existsSync(path)) return
    this.#logger.info({ path }, 'the socket for a gateway that takes over was deleted; it is made again')
    // At once: closing it later would delete the new one.
    this.#server.close()
    this.#server = null
    await this.#open(path)
  }

  /** A gateway that can not be taken over still serves: the reason is logged. */
  async #open(path: string): Promise<void> {
    try {
      makeDirectory(dirname(path))
      this.#server = await listenForSuccessors(path, (socket) => this.#accept(socket))
      if (this.#server === null)
        this.#logger.info({ path }, 'another gateway of this instance runs and listens for a successor')
      else this.#server.maxConnections = MAX_CONNECTIONS
    } catch (error) {
      this.#logger.warn({ error, path }, EVENTS.NO_TAKE_OVER)
    }
  }

  [Symbol.dispose](): void {
    if (this.#looks !== null) clearInterval(this.#looks)
    this.#server?.close()
    this.#current?.destroy()
  }

  #accept(socket: Socket): void {
    let pid = 0
    let hasTaken = false
    const timer = setTimeout(() => socket.destroy(), BEGIN_LIMIT).unref()
    const channel = new Channel<typeof SUCCESSOR_CALLS, typeof PREDECESSOR_CALLS>(new SocketPort(socket), {
      peer: 'the gateway that takes over',
      remote: SUCCESSOR_CALLS,
      handlers: {
        begin: (caller) => {
          if (caller.protocol !== HANDOVER_PROTOCOL) {
            const versions = `this is version ${this.#source.running.version}, the other ${caller.version}`
            throw new Error(
              `these versions can not take over from each other (${versions}): stop one, then start the other`,
            )
          }
          const obstacle = this.#current === null ? this.#source.obstacle : 'another process is taking over'
          if (obstacle !== null) throw new Error(`the gateway that runs refuses: ${obstacle}`)
          clearTimeout(timer)
          this.#current = socket
          pid = caller.pid
          this.#logger.info({ pid, version: caller.version }, 'another process takes over')
          return this.#source.running
        },
        records: () => {
          this.#check(socket)
          if (!hasBegun) this.#source.store.handOver(channel.remote)
          hasBegun = true
          return this.#source.store.next()
        },
        ready: async () => {
          this.#check(socket)
          // Before the successor listens under the same name.
          this.#server?.close()
          this.#server = null
          hasTaken = true
          await this.#source.handOver(channel.remote)
          this.#taken.resolve({ pid })
        },
      },
      onFault: () => socket.destroy(),
    })
    let hasBegun = false
    socket.once('close', () => {
      clearTimeout(timer)
      channel.close()
      if (this.#current !== socket) return
      this.#current = null
      this.#source.store.resume()
      if (!hasTaken) this.#logger.warn({ pid }, EVENTS.TAKE_OVER_FAILED)
    })
  }

  #check(socket: Socket): void {
    if (this.#current !== socket) throw new Error('expected begin first')
  }
}
