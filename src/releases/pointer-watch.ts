import type { EtcdClient, EtcdError } from '#etcd'
import { type CommitChange, decodeChange } from './commit-change.ts'
import { decodePointer, type Pointer } from './pointer.ts'
import { ReleaseError } from './release-error.ts'
import type { ReleaseReader } from './release-reader.ts'

/** Callbacks of those who follow the pointer. */
export interface PointerListener {
  /** The pointer at a revision; null where it was deleted. */
  moved(pointer: Pointer | null, revision: bigint): void
  /** Called once, and last, unless the caller has disposed the watch: also where the pointer can not be read. */
  ended(error: EtcdError | ReleaseError): void
}

/** Watches the pointer, and with it what its commit has put: the reader of a release has that in advance. */
export function followPointer(
  etcd: EtcdClient,
  reader: ReleaseReader,
  from: bigint,
  { moved, ended }: PointerListener,
): Disposable {
  const { current, change, followed } = reader.keys
  const watch: Disposable = etcd.follow(
    { ...followed, from },
    {
      events: (events) => {
        const last = events.findLast(({ item }) => item.key === current)
        if (last === undefined) return
        const { modRevision } = last.item
        // Of the same commit: another one is of an earlier release, or of an earlier version of the gateway.
        const put = events.findLast(({ item }) => item.key === change && item.modRevision === modRevision)
        try {
          reader.usePrefetched(put === undefined ? null : changeIn(change, put.item.value))
          moved(last.type === 'delete' ? null : decodePointer(current, last.item.value), modRevision)
        } catch (error) {
          if (!(error instanceof ReleaseError)) throw error
          watch[Symbol.dispose]()
          ended(error)
        }
      },
      progress: () => {},
      ended,
    },
  )
  return watch
}

/** Null for another value: the release is read then. */
function changeIn(where: string, value: Buffer): CommitChange | null {
  try {
    return decodeChange(where, value)
  } catch (error) {
    if (error instanceof ReleaseError) return null
    throw error
  }
}
