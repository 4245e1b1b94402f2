import type { ServerSessionOptions } from 'node:http2'
import type { ListenerSettings } from '../settings.ts'
import { RESET_BURST, RESETS_PER_SECOND } from './reset-budget.ts'

/** Flow-control window of a connection. */
export const SESSION_WINDOW = 1_048_576

/** Flow-control window of a stream. */
export const STREAM_WINDOW = 131_072

/** Concurrent streams of a connection. */
export const MAX_STREAMS = 100
// More than 1000 fields get 431 from the listener; beyond this the stream is reset.
const MAX_FIELDS = 2_000
const MAX_MEMORY_IN_MB = 16

/** Node's limits for a session; `streamReset...` are missing in its types. */
interface SessionOptions extends ServerSessionOptions {
  readonly streamResetBurst: number
  readonly streamResetRate: number
}

/** Options of a session; they bound all memory that a client can cause (threats B89, F25). */
export function sessionOptions({ maxTotalHeadersSize }: ListenerSettings): SessionOptions {
  return {
    settings: {
      maxConcurrentStreams: MAX_STREAMS,
      initialWindowSize: STREAM_WINDOW,
      // Up to twice the limit the response is 431; beyond that the stream is reset.
      maxHeaderListSize: 2 * maxTotalHeadersSize,
      enablePush: false,
    },
    // Fields that occur twice are forwarded as over HTTP/1.1.
    strictSingleValueFields: false,
    maxHeaderListPairs: MAX_FIELDS,
    maxSessionMemory: MAX_MEMORY_IN_MB,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
    maxOutstandingPings: 10,
    maxSettings: 32,
    streamResetBurst: RESET_BURST,
    streamResetRate: RESETS_PER_SECOND,
  }
}
