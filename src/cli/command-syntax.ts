/** An option of a command, with its help. */
export interface CommandOption {
  /** Name without dashes. */
  readonly name: string
  readonly short?: string
  /** Placeholder of the value in the help; absent for a boolean option. */
  readonly value?: string
  /** Whether it can be repeated. */
  readonly repeated?: boolean
  readonly description: string
  /** Values of the option for completion; by default those that its placeholder implies (`completionOf`). */
  readonly complete?: Completion
}

/** What a shell completes: names of files, of directories, the listed words, or nothing. */
export type Completion = 'file' | 'directory' | 'none' | readonly string[]

/** Syntax of the arguments of a command. */
export interface CommandSyntax {
  /** Forms of the command line, without the leading `gateway`. */
  readonly usage: readonly string[]
  readonly options: readonly CommandOption[]
  /** Number of arguments beside options, and their completion: nothing by default. */
  readonly operands: {
    readonly least: number
    readonly most: number
    readonly complete?: Completion
    /** Completion of the arguments after the first one; by default that of the first. */
    readonly completeRest?: Completion
  }
}
