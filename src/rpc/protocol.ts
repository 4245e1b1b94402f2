/** A request with an answer. */
interface Call<Argument, Answer> {
  readonly kind: 'call'
  /** Milliseconds until the call times out, unless the caller sets another timeout. */
  readonly timeout: number
  /** For types alone. */
  readonly types?: (argument: Argument) => Answer
}

/** A message without an answer. */
interface Notice<Argument> {
  readonly kind: 'notice'
  /** For types alone. */
  readonly types?: (argument: Argument) => void
}

/** The messages that one side of a channel accepts, by name. */
export type Protocol = Readonly<Record<string, Call<never, unknown> | Notice<never>>>

/** Declares a request. Argument and answer cross threads: plain data, or memory that is shared. */
export function call<Argument, Answer>(timeout: number): Call<Argument, Answer> {
  return { kind: 'call', timeout }
}

/** Declares a message without an answer. */
export function notice<Argument>(): Notice<Argument> {
  return { kind: 'notice' }
}

/** Deadline and cancellation of one call. */
export interface CallOptions {
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/** Context of a call for its handler. */
export interface CallContext {
  /** Aborted when the caller cancels or times out. */
  readonly signal: AbortSignal
}

/** Messages of the other side as functions. Calls reject with CallTimeoutError, PeerEndedError, PeerBusyError or RemoteError. */
export type Remote<P extends Protocol> = {
  readonly [Name in keyof P]: P[Name] extends Call<infer Argument, infer Answer>
    ? (argument: Argument, options?: CallOptions) => Promise<Answer>
    : P[Name] extends Notice<infer Argument>
      ? (argument: Argument) => void
      : never
}

/** Handlers of the messages that one side accepts. */
export type Handlers<P extends Protocol> = {
  readonly [Name in keyof P]: P[Name] extends Call<infer Argument, infer Answer>
    ? (argument: Argument, context: CallContext) => Answer | Promise<Answer>
    : P[Name] extends Notice<infer Argument>
      ? (argument: Argument) => void
      : never
}
