import assert from 'node:assert/strict'
import {
  type EtcdClient,
  EtcdError,
  type EtcdErrorKind,
  type Operation,
  type WatchEvent,
  type WatchListener,
  type WatchTarget,
} from '#etcd'
import { waitUntil } from './waiting.ts'

/** Check of `assert.rejects` for an EtcdError of a kind. */
export const ofKind = (kind: EtcdErrorKind, pattern = /./) => {
  return (error: unknown): true => {
    assert.ok(error instanceof EtcdError, String(error))
    assert.equal(error.kind, kind, error.message)
    assert.match(error.message, pattern)
    return true
  }
}

export const put = (key: string, value: string | Uint8Array, lease: string | null = null): Operation => ({
  put: { key, value, lease },
})

/** Writes without conditions. */
export const write = (client: EtcdClient, ...success: Operation[]) => client.transact({ compare: [], success })

/** Records what a watch reports. */
class RecordedWatch implements WatchListener {
  readonly all: WatchEvent[] = []
  revision = 0n
  progressed = 0n
  error: EtcdError | null = null

  events(events: readonly WatchEvent[], revision: bigint): void {
    this.all.push(...events)
    this.revision = revision
  }

  progress(revision: bigint): void {
    this.progressed = revision
  }

  ended(error: EtcdError): void {
    assert.equal(this.error, null, 'ended twice')
    this.error = error
  }

  get texts(): string[] {
    return this.all.map(({ type, item }) => `${type} ${item.key} ${item.value}`)
  }

  async ends(): Promise<EtcdError> {
    await waitUntil('the watch ended', () => this.error !== null)
    return this.error!
  }
}

/** A watch whose reports are recorded. */
export function watching(client: EtcdClient, target: WatchTarget): RecordedWatch & Disposable {
  const recorded = new RecordedWatch()
  const watch = client.watch(target, recorded)
  return Object.assign(recorded, { [Symbol.dispose]: () => watch[Symbol.dispose]() })
}
