export { EtcdClient, type EtcdStatus } from './etcd-client.ts'
export { EtcdError, type EtcdErrorKind } from './etcd-error.ts'
export type { KeyPage, ListOptions } from './key-list.ts'
export type {
  Compare,
  KeyRange,
  KeyValue,
  Operation,
  OperationResult,
  Transaction,
  WatchEvent,
} from './key-value.ts'
export type { EtcdSettings } from './settings.ts'
export type { WatchListener, WatchTarget } from './watch.ts'
