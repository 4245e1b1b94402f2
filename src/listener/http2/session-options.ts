import type { ServerSessionOptions } from 'node:http2'
import type { ListenerSettings } from '../settings.ts'
import { RESET_BURST, RESETS_PER_SECOND } from './reset-budget.ts'

/** Bytes that one client may have under way before they are taken, over all its streams. */
export const WINDOW_OF_SESSION = 1_048_576

/** The same of one stream. */
export const WINDOW_OF_STREAM = 131_072

const MAX_STREAMS = 100
// The listener itself refuses more than 1000 fields with 431; far beyond that the stream is reset unread.
const MAX_FIELDS = 2_000
const MAX_MEMORY_IN_MB = 16

/** Node's limits for a session; `streamReset...` are missing in its types. */
export interface SessionOptions extends ServerSessionOptions {
  readonly streamResetBurst: number
  readonly streamResetRate: number
}

/** How a session is opened: everything a client can make the gateway hold is bounded (threats B89, F25). */
export function sessionOptions({ maxTotalHeadersSize }: ListenerSettings): SessionOptions {
  return {
    settings: {
      maxConcurrentStreams: MAX_STREAMS,
      initialWindowSize: WINDOW_OF_STREAM,
      // Up to twice the limit the answer is 431; beyond that the stream is reset.
      maxHeaderListSize: 2 * maxTotalHeadersSize,
      enablePush: false,
    },
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
