import type { AuditRecord } from '#audit'
import { call } from '#rpc'
import type { RecordChange, SharedRecord } from '#schema'
import type { KeptRecord } from '../key-value-store.ts'

/** Changes with the calls below; gateways with another number do not take over from each other. */
export const HANDOVER_PROTOCOL = 1

/** A traffic connector. */
export interface SharedConnector {
  readonly host: string
  readonly ports: readonly number[]
  readonly secure: boolean
}

/** A gateway that takes over, as it introduces itself. */
interface TakingOver {
  readonly protocol: number
  readonly pid: number
  readonly version: string
}

/** The gateway that runs. */
export interface RunningGateway {
  readonly pid: number
  readonly version: string
  readonly connectors: readonly SharedConnector[]
  readonly adminHost: string
  readonly adminPort: number
  /** Secrets of TLS session tickets in base64; null where no connector uses TLS. */
  readonly tickets: string | null
  /** Variables of the service manager that runs it. */
  readonly service: Readonly<Record<string, string>>
}

interface StoreKey {
  readonly space: string
  readonly key: string
}

/** Calls of a gateway that takes over, to the one that runs. */
export const PREDECESSOR_CALLS = {
  begin: call<TakingOver, RunningGateway>(5_000),
  /** A part of the records of its key-value store; from the first on it passes the calls of its units to the successor. */
  records: call<void, { readonly records: readonly KeptRecord[]; readonly isLast: boolean }>(10_000),
  /** The successor serves. Answered when the other accepts nothing more and has closed the files that one process alone writes. */
  ready: call<void, void>(30_000),
}

/** Calls of the gateway that ends, to its successor. A lifetime of null is unlimited, except in `storeGet`, where it stays. */
export const SUCCESSOR_CALLS = {
  storeGet: call<StoreKey & { readonly lifetime: number | null }, SharedRecord | null>(1_000),
  storeUpdate: call<
    StoreKey & { readonly change: RecordChange; readonly lifetime: number | null; readonly ifPresent: boolean },
    void
  >(1_000),
  storeGetAndDelete: call<StoreKey, SharedRecord | null>(1_000),
  storeGetOrCreate: call<StoreKey & { readonly initial: SharedRecord; readonly lifetime: number | null }, SharedRecord>(
    1_000,
  ),
  /** Events for files that the successor has open; false where it has not. */
  auditRecords: call<{ readonly file: string; readonly records: readonly AuditRecord[] }, boolean>(5_000),
}
