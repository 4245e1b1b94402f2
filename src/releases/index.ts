export type {
  Authorship,
  ConfigurationStore,
  FileChange,
  Snapshot,
  StoredFile,
  WriteOutcome,
} from './configuration-store.ts'
export { type Content, type ContentEntry, contentOf } from './content.ts'
export { differencesOf, type PathDifference } from './differences.ts'
export { type Divergence, divergenceOf, type LocalState } from './divergence.ts'
export { EtcdReleases, type ReleaseOptions } from './etcd-releases.ts'
export { includesLabels, type Labels, labelsProblem } from './labels.ts'
export { decodePointer, encodePointer, type Pointer, wantedRelease } from './pointer.ts'
export { ReleaseError, type ReleaseErrorKind } from './release-error.ts'
export { pathProblem } from './release-path.ts'
export type { ReleaseRecord } from './release-record.ts'
export type { ReleaseOutcome } from './release-writer.ts'
export { StoreKeys } from './store-keys.ts'
export { Tree } from './tree.ts'
