/** A regular expression that is malformed or uses a construct that is not supported. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError'
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** A search or a replacement that exceeds a limit, or a replacement that names a group that does not exist. */
export class MatchError extends Error {
  override readonly name = 'MatchError'
}
