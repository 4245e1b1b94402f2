import type { ChainKey } from '../chain/chain-key.ts'

/** Files of a trail, as plain data. `Infinity` switches a limit off. */
export interface FilePlan {
  readonly directory: string
  /** Ends the file names, after the topic: `.audit.json` or `.csv`. */
  readonly extension: string
  readonly lineEnd: '\n' | '\r\n'
  /** First line of each file, by topic. */
  readonly headers: Readonly<Record<string, string>>
  /** Permissions of the files. */
  readonly mode: number
  /** Milliseconds from a write to its fdatasync at most; 0: before the write counts as done. */
  readonly sync: number
  /** False: the file is opened for each write, so that a file system with few lines can be unmounted. */
  readonly keepOpen: boolean
  readonly rotation: RotationPlan
  readonly retention: RetentionPlan
  /** Whether rotated files are compressed. */
  readonly compress: boolean
  /** Milliseconds between checks of times and free space. */
  readonly checkInterval: number
  readonly chain: ChainPlan | null
}

/** When a file is rotated, and the name it gets. */
export interface RotationPlan {
  /** Bytes. */
  readonly maxFileSize: number
  /** Milliseconds since the file was begun. */
  readonly interval: number
  /** Milliseconds after midnight UTC. */
  readonly times: readonly number[]
  readonly prefix: string
  /** Date pattern of the end of the name. */
  readonly suffix: string
}

/** Which rotated files are removed, the oldest first. */
export interface RetentionPlan {
  readonly maxFiles: number
  /** Bytes of all files of a topic. */
  readonly maxDiskSpace: number
  /** Bytes free on the file system; 0 switches it off. */
  readonly minFreeSpace: number
}

/** Tamper evidence. */
export interface ChainPlan {
  readonly key: ChainKey
  /** Null for JSON lines. */
  readonly csv: { readonly quote: string; readonly delimiter: string } | null
  /** Milliseconds from a line to the next checkpoint at most. */
  readonly interval: number
  /** Lines between two checkpoints at most. */
  readonly lines: number
}

/** Files that neither rotate nor expire. */
export const NO_ROTATION: RotationPlan = {
  maxFileSize: Number.POSITIVE_INFINITY,
  interval: Number.POSITIVE_INFINITY,
  times: [],
  prefix: '',
  suffix: '-yyyy.MM.dd-HH.mm.ss',
}

export const NO_RETENTION: RetentionPlan = {
  maxFiles: Number.POSITIVE_INFINITY,
  maxDiskSpace: Number.POSITIVE_INFINITY,
  minFreeSpace: 0,
}
