/** An option of a command, as its help shows it. */
export interface CommandOption {
  /** Name without dashes. */
  readonly name: string
  readonly short?: string
  /** Placeholder of the value in the help; an option without it is a switch. */
  readonly value?: string
  /** Whether it may be given more than once. */
  readonly repeated?: boolean
  readonly description: string
}

/** Which arguments a command accepts. */
export interface CommandSyntax {
  /** Forms of the command line, without the leading `gateway`. */
  readonly usage: readonly string[]
  readonly options: readonly CommandOption[]
  /** How many words beside the options it accepts. */
  readonly operands: { readonly least: number; readonly most: number }
}
