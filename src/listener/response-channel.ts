import type { InformationalSender, RequestLine, Response, Upgrade, UpgradedConnection } from '#http'
import type { AdmittedRequest } from './admission.ts'
import type { ListenerContext } from './listener-context.ts'
import type { Peer } from './peer.ts'
import type { BodyOwner, ReceivedBody } from './received-body.ts'
import type { Refusal } from './refusal.ts'
import type { ResponseHead } from './response-head.ts'
import type { ResponseTarget } from './response-writer.ts'

/** Whether the connection of HTTP/1.1 stays open after the response; without meaning in HTTP/2. */
export type Persistence = 'keep' | 'close'

/** A connection that can leave HTTP with a 101. */
export interface Upgradable {
  /** Sends the 101 and hands the connection over. Throws, with nothing sent, where the head can not be sent. */
  handOver(response: Response, upgrade: Upgrade): UpgradedConnection
  /** Bytes sent since the 101. */
  readonly bytesSent: number
}

/** Receives the events of a channel. */
export interface ChannelObserver {
  /** Bytes of the response body sent so far; null before its head. */
  readonly responseBytes: number | null
  onResponseSent(): void
  /** The client read nothing of its response for the idle timeout. */
  onResponseStalled(): void
  /** The client disconnected, or reset the stream. */
  abandon(reason: Error): void
}

/** One request and its response on an HTTP/1.1 connection or HTTP/2 stream. Decisions are made by the transaction. */
export interface ResponseChannel extends ResponseTarget, InformationalSender {
  readonly peer: Peer
  /** Whether the whole request has arrived. */
  readonly isReceived: boolean
  /** Whether the head of the final response was sent. */
  readonly headersSent: boolean
  /** Whether the connection or stream is closed for sending. */
  readonly isClosed: boolean
  /** Whether the client waits for 100 Continue before it sends the body. */
  readonly expectsContinue: boolean
  readonly acceptsInformational: boolean
  /** Set for a request to upgrade. */
  readonly upgradable: Upgradable | null
  observe(observer: ChannelObserver): void
  /** Validates the request head. */
  admit(context: ListenerContext): AdmittedRequest | Refusal
  /** For a request that was not admitted: its request line, not validated. */
  refusedLine(): RequestLine
  /** For a request that was not admitted: its Accept field. */
  refusedAccept(): string | null
  /** Called only for a request with a body; -1 for a length that is not declared. */
  receiveBody(length: number, owner: BodyOwner): ReceivedBody
  sendContinue(): void
  /** Throws, with nothing sent, where the head can not be sent. */
  sendHead(response: Response, persistence: Persistence): ResponseHead
  flushHeaders(): void
  /** Whether the head of a response ends it, so that nothing can be held back after it. */
  endsWithHead(response: Response): boolean
  /** Ends the connection or stream so that the client detects the truncation (threats B27). */
  truncate(reason: Error): void
  /** The transaction has ended: with its response sent, or without one. */
  release(outcome: 'sent' | 'abandoned'): void
}
