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
}

/** Syntax of the arguments of a command. */
export interface CommandSyntax {
  /** Forms of the command line, without the leading `gateway`. */
  readonly usage: readonly string[]
  readonly options: readonly CommandOption[]
  /** Number of arguments beside options. */
  readonly operands: { readonly least: number; readonly most: number }
}
