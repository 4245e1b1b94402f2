/** One file that a write changes. */
export interface FileChange {
  /** As in a release: `config/config.json`, `config/routes/**.json` or `scripts/**`. */
  readonly path: string
  /** SHA-256 (hex) of the content that is replaced; null: the file must not exist. */
  readonly before: string | null
  /** Null removes the file. */
  readonly after: Buffer | string | null
}

/** Who makes a change, for the record of its release. */
export interface Authorship {
  readonly author: string
  readonly note: string | null
}

/** What became of a write. Only after `unknown` the change may or may not be made. */
export type WriteOutcome =
  /** `release` is absent where the store has no releases. */
  | { readonly state: 'done'; readonly release?: number }
  /** The file has another content than `before` (412). */
  | { readonly state: 'conflict'; readonly path: string }
  /** The store can not be reached, or refuses; nothing was changed (503). */
  | { readonly state: 'unavailable'; readonly reason: string }
  /** The store did not respond to the commit, nor to questions about it (503). */
  | { readonly state: 'unknown'; readonly reason: string }
  /** A release is staged, or store and instance diverged: an operator has to decide first (409). */
  | { readonly state: 'blocked'; readonly reason: string }
  /** The release would exceed `maxReleaseSize` (413). */
  | { readonly state: 'too-large'; readonly bytes: number; readonly limit: number }
  /** A file can not be written (500). */
  | { readonly state: 'unwritten'; readonly error: NodeJS.ErrnoException }

/** A file of a snapshot. */
export interface StoredFile {
  /** SHA-256 (hex) of the content. */
  readonly hash: string
  readonly bytes: number
  /** Reads the content, which has that hash; rejects where it is no longer available. */
  content(): Promise<Buffer>
}

/** All files at one point in time. */
export interface Snapshot {
  /** Equal for equal files with equal contents of one store. */
  readonly state: string
  readonly files: ReadonlyMap<string, StoredFile>
}

/** Where configuration lives: the folder of an instance, or releases that many instances share. */
export interface ConfigurationStore {
  /** Null where the store has no configuration yet. */
  read(): Promise<Snapshot | null>
  /** Calls `changed` after every change, also own ones; several changes may be one call. */
  follow(changed: () => void): Disposable
  /**
   * Makes all changes or none. Changes of other files since the caller read them do not matter; a change of the same file
   * is a conflict.
   */
  write(changes: readonly FileChange[], by: Authorship): Promise<WriteOutcome>
}
