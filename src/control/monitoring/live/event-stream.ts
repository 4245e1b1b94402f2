import type { BodySink, BodySource } from '#http'

/** Milliseconds between comments that keep a stream without events alive. */
const HEARTBEAT = 10_000

/** Milliseconds that a client may read nothing. */
const STALL_LIMIT = 30_000

const CHECK_INTERVAL = 1_000

/** Streams of all clients together; a browser has up to six connections. */
const MAX_STREAMS = 32

/**
 * One response of Server-Sent Events. Nothing is queued: while the client does not read, `send` is refused, and a client
 * that reads nothing for 30 seconds is disconnected.
 */
export class EventStream implements BodySource {
  readonly #onEnd: (stream: EventStream) => void
  readonly #endCallbacks = new Set<() => void>()
  #sink: BodySink | null = null
  #isPaused = false
  #isEnded = false
  /** Milliseconds of the last write or pause. */
  #since = 0

  constructor(onEnd: (stream: EventStream) => void) {
    this.#onEnd = onEnd
  }

  /** Whether an event would be sent now. */
  get isWritable(): boolean {
    return this.#sink !== null && !this.#isPaused && !this.#isEnded
  }

  /** Sends one event as JSON; false where the client does not read. */
  send(json: string): boolean {
    return this.sendAll([json])
  }

  /** Sends several events in one write. */
  sendAll(events: readonly string[]): boolean {
    if (!this.isWritable) return false
    if (events.length > 0) this.#write(events.map((json) => `data: ${json}\n\n`).join(''))
    return true
  }

  /** Calls back when the stream has ended, at once if it has. */
  onEnd(callback: () => void): void {
    if (this.#isEnded) callback()
    else this.#endCallbacks.add(callback)
  }

  /** Ends the response in order. */
  end(): void {
    const sink = this.#sink
    if (!this.#finish()) return
    sink?.end(null)
  }

  /** Sends a heartbeat where one is due, and disconnects a client that does not read. */
  check(now: number): void {
    if (this.#isPaused && now - this.#since > STALL_LIMIT) {
      const sink = this.#sink
      if (this.#finish()) sink?.fail(new Error('the client of an event stream read nothing'))
    } else if (this.isWritable && now - this.#since >= HEARTBEAT) {
      this.#write(': heartbeat\n\n')
    }
  }

  start(sink: BodySink): void {
    this.#sink = sink
    if (this.#isEnded) sink.end(null)
    else this.#write('retry: 3000\n\n')
  }

  resume(): void {
    this.#isPaused = false
    this.#since = performance.now()
  }

  cancel(): void {
    this.#finish()
  }

  #write(text: string): void {
    this.#since = performance.now()
    this.#isPaused = this.#sink?.write(Buffer.from(text)) === false
  }

  #finish(): boolean {
    if (this.#isEnded) return false
    this.#isEnded = true
    for (const callback of this.#endCallbacks) callback()
    this.#endCallbacks.clear()
    this.#onEnd(this)
    return true
  }
}

/** All open event streams; their number is bounded. */
export class EventStreams {
  readonly #open = new Set<EventStream>()
  #timer: NodeJS.Timeout | null = null

  /** A new stream; null where too many are open. */
  open(): EventStream | null {
    if (this.#open.size >= MAX_STREAMS) return null
    const stream = new EventStream((ended) => this.#open.delete(ended))
    this.#open.add(stream)
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL).unref()
    return stream
  }

  /** Ends all streams, when the gateway stops. */
  endAll(): void {
    for (const stream of [...this.#open]) stream.end()
    this.#check()
  }

  #check(): void {
    const now = performance.now()
    for (const stream of [...this.#open]) stream.check(now)
    if (this.#open.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
