import type { MessagePort } from 'node:worker_threads'
import type { FromUnit, ObjectStatus, RouteSource, ToUnit } from '#contracts'
import type { KeptRecord, RecordStep } from '#schema'
import type { OpeningRouter, RouteFeed } from './route-feed.ts'

/** The unit's side of the conversation with the control plane. */
export class ControlLink implements RouteFeed {
  readonly #port: MessagePort
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  #asks = 0

  constructor(port: MessagePort) {
    this.#port = port
  }

  send(message: FromUnit): void {
    this.#port.postMessage(message)
  }

  open(router: OpeningRouter): Promise<readonly RouteSource[]> {
    return this.#ask((ask) => ({ type: 'open-router', ask, ...router }))
  }

  opened: RouteFeed['opened'] = (directory, failures) => this.send({ type: 'router-open', directory, failures })

  close: RouteFeed['close'] = (directory) => this.send({ type: 'close-router', directory })

  reported = (status: ObjectStatus): void => this.send({ type: 'object-status', ...status })

  warned: RouteFeed['warned'] = (warnings) => this.send({ type: 'route-warnings', ...warnings })

  async share(key: string, bytes: number): Promise<{ memory: SharedArrayBuffer; release(): void }> {
    const memory = await this.#ask<SharedArrayBuffer>((ask) => ({ type: 'share', ask, key, bytes }))
    return { memory, release: () => this.send({ type: 'unshare', key }) }
  }

  record(space: string, key: string, step: RecordStep): Promise<KeptRecord | null> {
    return this.#ask((ask) => ({ type: 'keep', ask, space, key, step }))
  }

  /** Takes answers to questions; anything else is for the caller. */
  answered(message: ToUnit): boolean {
    switch (message.type) {
      case 'routes':
        this.#settle(message.ask)?.resolve(message.routes as never)
        return true
      case 'routes-refused':
        this.#settle(message.ask)?.reject(new Error(message.reason))
        return true
      case 'shared':
        this.#settle(message.ask)?.resolve(message.memory as never)
        return true
      case 'record':
        this.#settle(message.ask)?.resolve(message.record as never)
        return true
      default:
        return false
    }
  }

  #ask<T>(question: (ask: number) => FromUnit): Promise<T> {
    const ask = ++this.#asks
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.set(ask, { resolve: resolve as (value: never) => void, reject })
    this.send(question(ask))
    return promise
  }

  #settle(ask: number) {
    const waiting = this.#waiting.get(ask)
    this.#waiting.delete(ask)
    return waiting
  }
}
