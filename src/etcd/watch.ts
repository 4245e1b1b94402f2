import { type Exchange, startDeadline } from '#http'
import type { JsonObject } from '#json'
import type { ClusterCalls } from './cluster-calls.ts'
import { EtcdError } from './etcd-error.ts'
import type { KeyRange, WatchEvent } from './key-value.ts'
import { MalformedResponse } from './malformed-response.ts'
import { MAX_RESPONSE_BYTES, MemberRefusal } from './member-failure.ts'
import { refusalIn, refusalOf } from './refusal.ts'
import { WatchChecks } from './watch-checks.ts'
import { WatchFrames } from './watch-frames.ts'
import { eventsOf, flagOf, integerOf, objectOf, rangeOf, revisionOf, textOf } from './wire.ts'

/** What is watched: all changes from a revision on, this one included. */
export type WatchTarget = KeyRange & { readonly from: bigint }

/** Callbacks of a watch. */
export interface WatchListener {
  /** Changes in their order. All changes up to the revision were delivered: a next watch begins at the one after it. */
  events(events: readonly WatchEvent[], revision: bigint): void
  /** Nothing but the delivered changes happened up to this revision. */
  progress(revision: bigint): void
  /** Called once, and last, unless the caller has disposed the watch. */
  ended(error: EtcdError): void
}

/** Where a watch is, and how it is checked. */
interface WatchOptions {
  readonly origin: string
  readonly checkInterval: number
  readonly random: () => number
  onEnd(): void
}

/** One watch at one member, until it fails; the caller begins the next one. */
export class Watch implements Disposable {
  readonly #cluster: ClusterCalls
  readonly #target: WatchTarget
  readonly #listener: WatchListener
  readonly #origin: string
  readonly #checks: WatchChecks
  readonly #onEnd: () => void
  #exchange: Exchange | null = null
  #stopDeadline: () => void = () => {}
  #token: string | null = null
  #isSecondAttempt = false
  #isCreated = false
  #isOver = false

  constructor(
    cluster: ClusterCalls,
    target: WatchTarget,
    listener: WatchListener,
    { origin, checkInterval, random, onEnd }: WatchOptions,
  ) {
    this.#cluster = cluster
    this.#target = target
    this.#listener = listener
    this.#onEnd = onEnd
    this.#origin = origin
    this.#checks = new WatchChecks(cluster, this.#origin, target, {
      interval: checkInterval,
      random,
      failed: (error) => this.#end(error),
    })
  }

  start(): void {
    this.#open().catch((error: unknown) => this.#fail(error))
  }

  [Symbol.dispose](): void {
    this.#stop()
  }

  async #open(): Promise<void> {
    const { members, tokens } = this.#cluster
    this.#token = await tokens.get(this.#origin)
    if (this.#isOver) return
    this.#stopDeadline = startDeadline(members.callTimeout, () =>
      this.#end(this.#failure('unavailable', `expected a watch within ${members.callTimeout} ms, got none`)),
    )
    const create = { ...rangeOf(this.#target), start_revision: this.#target.from.toString(), progress_notify: true }
    const request = { path: 'watch', message: { create_request: create }, token: this.#token }
    const { exchange, response } = await members.stream(this.#origin, request, (opened) => {
      this.#exchange = opened
    })
    const frames = new WatchFrames(MAX_RESPONSE_BYTES)
    // A watch that was replaced by its second attempt, or disposed, is not read on.
    const isCurrent = () => !this.#isOver && this.#exchange === exchange
    response.body.pipe({
      write: (chunk) => {
        try {
          frames.push(chunk, (frame) => {
            this.#receive(frame)
            return isCurrent()
          })
        } catch (error) {
          this.#fail(error)
        }
        return isCurrent()
      },
      end: () => {
        if (isCurrent())
          this.#end(
            this.#failure('unavailable', frames.isComplete ? 'the member closed the watch' : 'the watch was truncated'),
          )
      },
      fail: (error) => {
        if (isCurrent()) this.#fail(error)
      },
    })
  }

  #receive(frame: JsonObject): void {
    const refusal = refusalIn(frame)
    if (refusal !== null) throw new MemberRefusal(this.#origin, refusal, [this.#token])
    const result = objectOf(frame['result'], 'result')
    if (flagOf(result['canceled'], 'canceled')) this.#cancelled(result)
    else if (flagOf(result['created'], 'created')) this.#created(result)
    else this.#changed(result)
  }

  #created(result: JsonObject): void {
    if (this.#isCreated) throw new MalformedResponse('created: expected one watch, got two')
    this.#isCreated = true
    this.#stopDeadline()
    this.#checks.start(revisionOf(result))
  }

  #changed(result: JsonObject): void {
    // Changes before the wanted revision are no news.
    const events = eventsOf(result['events']).filter(({ item }) => item.modRevision >= this.#target.from)
    const last = events.at(-1)
    if (last !== undefined) {
      this.#checks.delivered(last.item.modRevision)
      this.#listener.events(events, last.item.modRevision)
    } else if (result['events'] === undefined) this.#listener.progress(revisionOf(result))
  }

  #cancelled(result: JsonObject): void {
    const compacted = integerOf(result['compact_revision'], 'compact_revision')
    if (compacted > 0n) {
      const found = `expected the history from revision ${this.#target.from} on, got a store that begins at ${compacted}`
      this.#end(this.#failure('compacted', found))
      return
    }
    const refusal = refusalOf(
      null,
      textOf(result['cancel_reason'], 'cancel_reason') || 'the member cancelled the watch',
    )
    throw new MemberRefusal(this.#origin, refusal, [this.#token])
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    const failure = this.#cluster.members.failureOf(error, this.#origin)
    // etcd 3.4 calls a token that is not valid any more "permission denied".
    const mayRenew = failure instanceof MemberRefusal && (failure.renewsToken || failure.kind === 'denied')
    if (mayRenew && !this.#isCreated && !this.#isSecondAttempt && this.#token !== null) {
      this.#isSecondAttempt = true
      this.#close()
      this.#cluster.tokens.renew(this.#origin, this.#token).then(
        () => this.#open().catch((again: unknown) => this.#fail(again)),
        (refused: unknown) => this.#fail(refused),
      )
      return
    }
    this.#end(failure instanceof EtcdError ? failure : this.#fault(failure))
  }

  /** A listener that throws ends its watch: its state is not known. */
  #fault(cause: unknown): EtcdError {
    return new EtcdError('invalid', `etcd ${this.#origin}: a listener of the watch failed`, {
      endpoint: this.#origin,
      cause,
    })
  }

  #failure(kind: 'unavailable' | 'compacted', message: string): EtcdError {
    return new EtcdError(kind, `etcd ${this.#origin}: ${message}`, { endpoint: this.#origin })
  }

  #end(error: EtcdError): void {
    if (this.#isOver) return
    this.#stop()
    if (error.kind === 'unavailable') this.#cluster.endpoints.failed(this.#origin)
    this.#listener.ended(error)
  }

  #stop(): void {
    this.#isOver = true
    this.#checks.stop()
    this.#close()
    this.#onEnd()
  }

  #close(): void {
    this.#stopDeadline()
    const exchange = this.#exchange
    this.#exchange = null
    if (exchange !== null) this.#cluster.members.ended(exchange)
  }
}
