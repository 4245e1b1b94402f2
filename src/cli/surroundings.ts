import type { Writable } from 'node:stream'

/** What a command may use of the process it runs in. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  /** The module that a unit's thread runs. */
  readonly unitEntry: URL
}
