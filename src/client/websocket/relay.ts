import type { Duplex } from 'node:stream'
import type { UpgradedConnection } from '#http'
import type { Watchdog } from '../watchdog.ts'
import { closeFrame, pingFrame, type Towards } from './control-frame.ts'
import { Lane } from './lane.ts'
import { Heartbeat, IdleLimit, type Pulse } from './pulse.ts'

/** When a connection counts as stalled; times in milliseconds. */
export interface Stalling {
  /** Without a byte in either direction for so long it is destroyed; null: see `answerTime`. */
  readonly idleTime: number | null
  /** An end that was quiet for so long is pinged, and given up when it answers nothing for so long again. */
  readonly answerTime: number
}

/** One end of the connection. */
interface End {
  readonly socket: Duplex
  /** What the end has sent before the relay began. */
  readonly early: Buffer
}

/** A client and a server that talk WebSocket through the gateway. */
export class Relay implements UpgradedConnection {
  readonly #watchdog: Watchdog
  readonly #toServer: Lane
  readonly #toClient: Lane
  readonly #pulses: readonly Pulse[]
  #ended = false

  constructor(client: End, server: End, stalling: Stalling, watchdog: Watchdog) {
    this.#watchdog = watchdog
    const { idleTime, answerTime } = stalling
    const giveUp = () => this.destroy()
    const heartbeat = (towards: Towards) =>
      new Heartbeat(answerTime, { ping: () => this.#laneTo(towards).inject(pingFrame(towards)), giveUp })
    const limit = idleTime === null ? null : new IdleLimit(idleTime, giveUp)
    const ofClient: Pulse = limit ?? heartbeat('client')
    const ofServer: Pulse = limit ?? heartbeat('server')
    this.#pulses = limit === null ? [ofClient, ofServer] : [limit]
    this.#toServer = lane(client.socket, ofClient, server.socket, ofServer, () => this.#toClient.isFinished)
    this.#toClient = lane(server.socket, ofServer, client.socket, ofClient, () => this.#toServer.isFinished)
    for (const pulse of this.#pulses) watchdog.add(pulse)
    this.#join(client.socket, server.socket)
    this.#join(server.socket, client.socket)
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

  #laneTo(towards: Towards): Lane {
    return towards === 'client' ? this.#toClient : this.#toServer
  }

  /** What is left of one end when the other has gone. */
  #join(one: Duplex, other: Duplex): void {
    one.on('error', () => {})
    one.on('close', () => {
      if (!this.#ended) for (const pulse of this.#pulses) this.#watchdog.delete(pulse)
      this.#ended = true
      // After an orderly end the other still gets what is on its way to it; after another end it must notice.
      if (one.readableEnded && one.writableFinished) other.end(() => other.destroy())
      else other.destroy()
    })
  }
}

function lane(source: Duplex, ofSource: Pulse, sink: Duplex, ofSink: Pulse, hasFarewell: () => boolean): Lane {
  return new Lane(source, sink, {
    came: () => {
      ofSource.heard()
      // An end that has stopped sending can not answer: that it is sent to is all that can be known of it.
      if (sink.readableEnded) ofSink.heard()
    },
    blocked: () => ofSource.held(),
    flows: () => {
      ofSource.heard()
      ofSink.heard()
    },
    parted: () => {
      if (hasFarewell() && source.writable) source.end()
    },
  })
}
