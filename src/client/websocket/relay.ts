import type { Duplex } from 'node:stream'
import type { UpgradedConnection } from '#http'
import type { Watchdog } from '../watchdog.ts'
import { closeFrame, type FrameReceiver, pingFrame } from './control-frame.ts'
import { Heartbeat, IdleTimeout, type Liveness } from './liveness.ts'
import { RelayDirection } from './relay-direction.ts'

/** Time-outs of a relayed connection, in milliseconds. */
export interface RelayTimeouts {
  /** Longest time without a byte in either direction; null for heartbeats instead. */
  readonly idleTime: number | null
  /** A peer is pinged after this time without activity, and unresponsive after it passes once more. */
  readonly heartbeatTime: number
}

/** One end of the connection. */
interface End {
  readonly socket: Duplex
  /** Bytes received before the relay started. */
  readonly early: Buffer
}

/** Relays a WebSocket connection between client and server. */
export class Relay implements UpgradedConnection {
  readonly #watchdog: Watchdog
  readonly #toServer: RelayDirection
  readonly #toClient: RelayDirection
  #ended = false
  /** Without a Close frame: by the client, or by the server or a time-out. */
  #cut: 'aborted' | 'truncated' | null = null

  constructor(client: End, server: End, timeouts: RelayTimeouts, watchdog: Watchdog) {
    this.#watchdog = watchdog
    const { idleTime, heartbeatTime } = timeouts
    const terminate = () => {
      this.#cutBy('truncated')
      this.destroy()
    }
    const heartbeat = (receiver: FrameReceiver) =>
      new Heartbeat(heartbeatTime, {
        ping: () => this.#directionTo(receiver).inject(pingFrame(receiver)),
        isBlocked: () => isBlocked(this.#directionTo(receiver).sink),
        terminate,
      })
    const limit = idleTime === null ? null : new IdleTimeout(idleTime, terminate)
    const ofClient: Liveness = limit ?? heartbeat('client')
    const ofServer: Liveness = limit ?? heartbeat('server')
    this.#toServer = relayDirection(client.socket, ofClient, server.socket, ofServer, {
      hasSentClose: () => this.#toClient.isFinished,
      ended: () => this.#cutBy('aborted'),
    })
    this.#toClient = relayDirection(server.socket, ofServer, client.socket, ofClient, {
      hasSentClose: () => this.#toServer.isFinished,
      ended: () => this.#cutBy('truncated'),
    })
    for (const check of limit === null ? [ofClient, ofServer] : [limit]) watchdog.add(check)
    this.#closeWith(client.socket, server.socket, ofClient)
    this.#closeWith(server.socket, client.socket, ofServer)
    this.#toServer.start(client.early)
    this.#toClient.start(server.early)
  }

  close(code: number, reason: string): void {
    this.#toClient.finish(closeFrame(code, reason, 'client'))
    this.#toServer.finish(closeFrame(code, reason, 'server'))
  }

  destroy(): void {
    this.#toServer.source.destroy()
    this.#toServer.sink.destroy()
  }

  get end(): UpgradedConnection['end'] {
    return this.#cut ?? (this.#hasClosed ? 'sent' : 'aborted')
  }

  get #hasClosed(): boolean {
    return this.#toServer.hasClosed || this.#toClient.hasClosed
  }

  /** The first one counts: the other side ends in consequence, also where it sends a Close frame then. */
  #cutBy(cut: 'aborted' | 'truncated'): void {
    if (!this.#hasClosed) this.#cut ??= cut
  }

  #directionTo(receiver: FrameReceiver): RelayDirection {
    return receiver === 'client' ? this.#toClient : this.#toServer
  }

  /** Ends the other side when one closes; it is checked until it has closed, too, since it may accept nothing more. */
  #closeWith(one: Duplex, other: Duplex, check: Liveness): void {
    one.on('error', () => {})
    one.on('close', () => {
      if (other.closed || check instanceof Heartbeat) this.#watchdog.delete(check)
      if (!this.#ended) this.#cutBy(one === this.#toClient.source ? 'truncated' : 'aborted')
      this.#ended = true
      // After an orderly end, data in flight to the other side is still sent; otherwise it is destroyed.
      if (one.readableEnded && one.writableFinished) other.end(() => other.destroy())
      else other.destroy()
    })
  }
}

/** Whether bytes wait until a peer accepts them: so many that the other one is paused, or the last ones. */
function isBlocked({ writableNeedDrain, writableEnded, writableLength }: Duplex): boolean {
  return writableNeedDrain || (writableEnded && writableLength > 0)
}

function relayDirection(
  source: Duplex,
  ofSource: Liveness,
  sink: Duplex,
  ofSink: Liveness,
  { hasSentClose, ended }: { hasSentClose(): boolean; ended(): void },
): RelayDirection {
  return new RelayDirection(source, sink, {
    received: () => {
      ofSource.onResume()
      // A peer that half-closed can not send: relaying to it counts as its activity.
      if (sink.readableEnded) ofSink.onActivity()
    },
    paused: () => ofSource.onPause(),
    resumed: () => {
      ofSource.onResume()
      ofSink.onActivity()
    },
    closeReceived: () => {
      if (hasSentClose() && source.writable) source.end()
    },
    ended,
  })
}
