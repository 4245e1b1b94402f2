import { randomUUID } from 'node:crypto'
import { existsSync, unlinkSync, writeFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { dirname } from 'node:path'
import { makeDirectory } from '#files'
import type { Logger } from '#logging'
import { HEARTBEAT, type Remote } from '#rpc'
import { boundedWait } from '#timing'
import { EVENTS } from '../../log-events.ts'
import {
  HANDOVER_PROTOCOL,
  type PREDECESSOR_CALLS,
  type RecordsPassed,
  type RunningGateway,
  SUCCESSOR_CALLS,
  type TakingOver,
} from './handover-calls.ts'
import { openLink } from './handover-link.ts'
import { listenForSuccessors } from './handover-socket.ts'
import type { OwnedStore } from './owned-store.ts'

/** The gateway that hands over. */
interface HandoverSource {
  readonly store: OwnedStore
  readonly running: RunningGateway
  /** Why it can not hand over now; null where it can. */
  readonly obstacle: string | null
  /** Closes the files that one process alone writes; what is for them waits, and is passed on where the successor has taken over. */
  freeze(pass: RecordsPassed): Promise<void>
  /** There is no successor: opens them again. */
  resume(): void
  /** The successor serves: accepts nothing more. */
  leave(): Promise<void>
}

/** Connections at a time: one takes over, another gets the reason why it can not. */
const MAX_CONNECTIONS = 4

/** Milliseconds. */
const LIMITS = {
  /** For the first call of a connection. */
  begin: 5_000,
  /** From there to the switch: the other process starts meanwhile. */
  start: 10 * 60_000,
  /** For closing files. */
  freeze: 10_000,
  /** For the successor to take over; calls of units to the key-value store wait meanwhile. */
  take: 2_000,
  /** Between looks at the socket: folders named tmp are cleaned, by people and by programs. */
  look: 5_000,
  heartbeat: HEARTBEAT,
}

/** Waits for a gateway of the same instance that takes over (`gateway run --take-over`). */
export class Successors implements Disposable {
  readonly #source: HandoverSource
  readonly #logger: Logger
  readonly #taken = Promise.withResolvers<{ pid: number }>()
  #server: Server | null = null
  #current: Socket | null = null
  /** Whether it is not known whether the successor has taken over. */
  #isSwitching = false
  #hasLeft = false
  #looks: NodeJS.Timeout | null = null
  readonly #path: string
  readonly #limits: typeof LIMITS

  constructor(path: string, source: HandoverSource, logger: Logger, limits: Partial<typeof LIMITS> = {}) {
    this.#path = path
    this.#source = source
    this.#logger = logger
    this.#limits = { ...LIMITS, ...limits }
  }

  /** Resolves when a successor serves in the place of this process, which then drains. */
  get taken(): Promise<{ readonly pid: number }> {
    return this.#taken.promise
  }

  /** Listens until a successor has taken over, and again where the socket is deleted. */
  async listen(): Promise<void> {
    await this.#open()
    this.#looks = setInterval(() => void this.#look(), this.#limits.look).unref()
  }

  async #look(): Promise<void> {
    const path = this.#path
    if (this.#server === null || this.#current !== null || existsSync(path)) return
    this.#logger.info({ path }, 'the socket for a gateway that takes over was deleted; it is made again')
    // At once: closing it later would delete the new one.
    this.#server.close()
    this.#server = null
    await this.#open()
  }

  /** A gateway that can not be taken over still serves: the reason is logged. */
  async #open(): Promise<void> {
    const path = this.#path
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
    let timer = setTimeout(() => socket.destroy(), this.#limits.begin).unref()
    const { store } = this.#source
    /** Handlers for the process that takes over alone. */
    const current = <Argument, Answer>(handle: (argument: Argument) => Answer) => {
      return (argument: Argument): Answer => {
        if (this.#current !== socket) throw new Error('expected begin first')
        return handle(argument)
      }
    }
    const link = openLink<typeof SUCCESSOR_CALLS, typeof PREDECESSOR_CALLS>(
      socket,
      {
        peer: 'the gateway that takes over',
        remote: SUCCESSOR_CALLS,
        handlers: {
          begin: (caller) => {
            this.#checkBegin(caller)
            clearTimeout(timer)
            timer = setTimeout(() => socket.destroy(), this.#limits.start).unref()
            this.#current = socket
            pid = caller.pid
            store.copyTo(link)
            this.#logger.info({ pid, version: caller.version }, 'another process takes over')
            return this.#source.running
          },
          records: current(store.notices.records),
          asked: current(store.notices.asked),
          executed: current(store.notices.executed),
          copy: current(() => store.copyPart()),
          switch: current(async () => {
            if (!store.isCopied || this.#isSwitching)
              throw new Error('expected one switch, after all records are copied')
            clearTimeout(timer)
            await this.#switch(socket, link.remote)
            this.#taken.resolve({ pid })
            await this.#source.leave()
          }),
        },
      },
      this.#limits.heartbeat,
    )
    socket.once('close', () => {
      clearTimeout(timer)
      if (this.#current !== socket) return
      this.#current = null
      if (this.#hasLeft) return store.lose()
      this.#logger.warn({ pid }, EVENTS.TAKE_OVER_FAILED)
      if (!this.#isSwitching) store.own(null)
    })
  }

  #checkBegin({ protocol, version }: TakingOver): void {
    if (protocol !== HANDOVER_PROTOCOL) {
      const versions = `this is version ${this.#source.running.version}, the other ${version}`
      throw new Error(`these versions can not take over from each other (${versions}): stop one, then start the other`)
    }
    this.#checkObstacle(this.#current === null ? this.#source.obstacle : 'another process is taking over')
  }

  #checkObstacle(obstacle: string | null): void {
    if (obstacle !== null) throw new Error(`the gateway that runs refuses: ${obstacle}`)
  }

  /** The successor takes over, or this process goes on as before: it does where it can still remove the file. */
  async #switch(socket: Socket, successor: Remote<typeof SUCCESSOR_CALLS>): Promise<void> {
    const { store } = this.#source
    const { freeze, take } = this.#limits
    const file = `${this.#path}.${randomUUID()}`
    const hasTaken = Promise.withResolvers<boolean>()
    writeFileSync(file, '', { mode: 0o600 })
    this.#isSwitching = true
    try {
      const passed: RecordsPassed = async (name, records) =>
        (await hasTaken.promise) && (await successor.auditRecords({ file: name, records }))
      const frozen = this.#source.freeze(passed).then(() => true)
      if (!(await boundedWait(frozen, freeze))) throw new Error('the gateway that runs can not close its files in time')
      this.#checkObstacle(this.#source.obstacle)
      store.give()
      await successor.take({ file }, { timeout: take })
      if (existsSync(file)) throw new Error('the gateway that takes over says so, and has not done so')
    } catch (error) {
      if (isLeft(file, socket)) {
        hasTaken.resolve(false)
        store.own(null)
        this.#source.resume()
        this.#isSwitching = false
        // After the answer with the reason.
        setImmediate(() => socket.destroySoon())
        throw error
      }
    }
    this.#hasLeft = true
    hasTaken.resolve(true)
    // Before the successor listens under the same name.
    this.#server?.close()
    this.#server = null
    if (socket.destroyed) store.lose()
  }
}

/** Whether a successor can not take over any more. */
function isLeft(file: string, socket: Socket): boolean {
  try {
    unlinkSync(file)
    return true
  } catch (error) {
    // Where the successor has removed it and ended before it said so, it has served no request.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT' || socket.readableEnded || socket.errored !== null
  }
}
