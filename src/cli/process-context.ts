import type { Readable, Writable } from 'node:stream'

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** Standard input, which may be a terminal. */
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }

/** The parts of the process that commands use. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** The module that a unit's thread runs. */
  readonly unitEntry: URL
  /** Folder of the built pages of the Studio. */
  readonly studioPages: string
}
