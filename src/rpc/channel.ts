import { MAX_TIMER_DELAY } from '#schema'
import { CallTimeoutError, PeerBusyError, PeerEndedError, RemoteError } from './errors.ts'
import type { CallContext, CallOptions, Handlers, Protocol, Remote } from './protocol.ts'

/** A MessagePort or a Worker. */
interface Port {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** Parts of a channel. */
export interface ChannelParts<Theirs extends Protocol, Ours extends Protocol> {
  /** Name of the other side in errors. */
  readonly peer: string
  readonly remote: Theirs
  readonly handlers: Handlers<Ours>
  /** Called when the handler of a notice throws, or a message violates the protocol. */
  onFault(error: Error): void
}

/** Limit of unanswered calls; beyond it calls are rejected, since the other side is overloaded. */
const MAX_UNANSWERED = 10_000

/** A timer that is late by this many milliseconds indicates a stall of the thread or process. */
const STALL = 100
/** Additional milliseconds for the answer after a stall. */
const TIME_AFTER_STALL = 1_000

/** Kinds of frames. Frames are arrays: structured clone copies them faster than objects. */
const CALL = 0
const NOTICE = 1
const ANSWER = 2
const FAILURE = 3
const CANCEL = 4
const PING = 5
const PONG = 6

type Frame =
  | readonly [typeof CALL, id: number, name: string, argument: unknown]
  | readonly [typeof NOTICE, name: string, argument: unknown]
  | readonly [typeof ANSWER, id: number, value: unknown]
  | readonly [typeof FAILURE, id: number, message: string, code: string | undefined]
  | readonly [typeof CANCEL, id: number]
  | readonly [typeof PING | typeof PONG]

interface Pending {
  readonly name: string
  resolve(value: unknown): void
  reject(error: Error): void
}

type AnyHandler = (argument: unknown, context: CallContext) => unknown

/** One end of a channel between two threads: typed calls with deadlines and cancellation, notices, and a heartbeat. */
export class Channel<Theirs extends Protocol, Ours extends Protocol> {
  readonly remote: Remote<Theirs>
  /** Called when the other side has answered a ping. */
  onPong: () => void = () => {}
  readonly #port: Port
  readonly #peer: string
  readonly #handlers: ReadonlyMap<string, AnyHandler>
  readonly #onFault: (error: Error) => void
  readonly #pending = new Map<number, Pending>()
  readonly #running = new Map<number, RunningCall>()
  #calls = 0
  #unanswered = 0
  #isClosed = false

  constructor(port: Port, { peer, remote, handlers, onFault }: ChannelParts<Theirs, Ours>) {
    this.#port = port
    this.#peer = peer
    this.#handlers = new Map(Object.entries(handlers)) as unknown as ReadonlyMap<string, AnyHandler>
    this.#onFault = onFault
    this.remote = this.#remote(remote)
    port.on('message', (frame) => this.#receive(frame as Frame))
  }

  /** Sends a heartbeat; the peer's event loop answers it, also while handlers are pending. */
  ping(): void {
    if (!this.#isClosed) this.#port.postMessage([PING] satisfies Frame)
  }

  /** Rejects pending and later calls. */
  close(): void {
    this.#isClosed = true
    for (const { name, reject } of this.#pending.values()) reject(new PeerEndedError(this.#peer, name))
    for (const running of this.#running.values()) running.cancel()
  }

  #remote(protocol: Theirs): Remote<Theirs> {
    const functions = Object.entries(protocol).map(([name, declared]) => {
      if (declared.kind === 'notice') {
        return [name, (argument: unknown) => this.#post([NOTICE, name, argument])]
      }
      const { timeout } = declared
      return [
        name,
        (argument: unknown, options: CallOptions = {}) => this.#call(name, argument, { timeout, ...options }),
      ]
    })
    return Object.fromEntries(functions) as Remote<Theirs>
  }

  #call(name: string, argument: unknown, { timeout, signal }: CallOptions & { timeout: number }): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new PeerEndedError(this.#peer, name))
    if (this.#unanswered >= MAX_UNANSWERED) {
      return Promise.reject(new PeerBusyError(this.#peer, name, this.#unanswered))
    }
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const id = ++this.#calls
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
    }
    const abandon = (error: Error): void => {
      settle()
      reject(error)
      this.#post([CANCEL, id])
    }
    const onAbort = (): void => abandon(signal?.reason as Error)
    const delay = Math.min(timeout, MAX_TIMER_DELAY)
    const due = performance.now() + delay
    let hasStalled = false
    const expire = (): void => {
      if (!hasStalled && performance.now() - due > STALL) {
        hasStalled = true
        timer = setTimeout(expire, TIME_AFTER_STALL).unref()
        return
      }
      // Timers run before messages are read: the answer may have arrived.
      setImmediate(() => this.#pending.has(id) && abandon(new CallTimeoutError(this.#peer, name, timeout)))
    }
    let timer = setTimeout(expire, delay).unref()
    signal?.addEventListener('abort', onAbort)
    this.#pending.set(id, {
      name,
      resolve: (value) => {
        settle()
        resolve(value)
      },
      reject: (error) => {
        settle()
        reject(error)
      },
    })
    try {
      this.#port.postMessage([CALL, id, name, argument] satisfies Frame)
      this.#unanswered++
    } catch (error) {
      // The argument can not be cloned: the call was not sent.
      settle()
      reject(error as Error)
    }
    return promise
  }

  #post(frame: Frame): void {
    if (!this.#isClosed) this.#port.postMessage(frame)
  }

  #receive(frame: Frame): void {
    switch (frame[0]) {
      case CALL:
        this.#run(frame[1], frame[2], frame[3])
        return
      case NOTICE:
        this.#runNotice(frame[1], frame[2])
        return
      case CANCEL:
        this.#cancel(frame[1])
        return
      case ANSWER:
        this.#unanswered--
        this.#pending.get(frame[1])?.resolve(frame[2])
        return
      case FAILURE:
        this.#unanswered--
        this.#pending.get(frame[1])?.reject(new RemoteError(frame[2], frame[3]))
        return
      case PING:
        this.#post([PONG])
        return
      case PONG:
        this.onPong()
        return
      default:
        this.#onFault(new Error(`${this.#peer} sent a message outside the protocol`))
    }
  }

  #runNotice(name: string, argument: unknown): void {
    try {
      const handler = this.#handlers.get(name)
      if (handler === undefined) throw new Error(`no handler for ${name}`)
      const done = handler(argument, NO_CALL)
      if (done instanceof Promise) done.catch((error: Error) => this.#onFault(error))
    } catch (error) {
      this.#onFault(error as Error)
    }
  }

  #run(id: number, name: string, argument: unknown): void {
    const running = new RunningCall()
    try {
      const handler = this.#handlers.get(name)
      if (handler === undefined) throw new Error(`no handler for ${name}`)
      const answer = handler(argument, running)
      if (!(answer instanceof Promise)) {
        this.#answer(id, answer)
        return
      }
      this.#running.set(id, running)
      answer.then(
        (value) => this.#running.delete(id) && this.#answer(id, value),
        (error: unknown) => this.#running.delete(id) && this.#fail(id, error),
      )
    } catch (error) {
      this.#fail(id, error)
    }
  }

  /** Answers at once, although the handler may still run: the caller limits its unanswered calls. */
  #cancel(id: number): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    this.#running.delete(id)
    running.cancel()
    this.#fail(id, new Error('cancelled'))
  }

  #answer(id: number, value: unknown): void {
    try {
      this.#post([ANSWER, id, value])
    } catch (error) {
      this.#fail(id, error)
    }
  }

  #fail(id: number, error: unknown): void {
    const { message, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) }
    this.#post([FAILURE, id, message, typeof code === 'string' ? code : undefined])
  }
}

/** A call in progress; most handlers never use its signal. */
class RunningCall implements CallContext {
  #controller: AbortController | null = null
  #isCancelled = false

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isCancelled) this.#controller.abort()
    return this.#controller.signal
  }

  cancel(): void {
    this.#isCancelled = true
    this.#controller?.abort()
  }
}

const NO_CALL: CallContext = new RunningCall()
