import type { Writable } from 'node:stream'

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean }

/** The parts of the process that commands use. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Output
  readonly stderr: Output
  /** The module that a unit's thread runs. */
  readonly unitEntry: URL
  /** Folder of the built pages of the Studio. */
  readonly studioPages: string
}
