/** The broker can not be reached, or did not accept messages. The same messages may be sent again. */
export class JmsError extends Error {
  override readonly name = 'JmsError'
}

/** The broker will never accept one of the messages: those before it were accepted, later ones may have been. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused'
  /** Position in the messages of the call. */
  readonly index: number

  constructor(index: number, reason: string) {
    super(reason)
    this.index = index
  }
}

/** The text of an error of a socket or a library, with its code; these may have an empty message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join(', ')
  const { code } = error as NodeJS.ErrnoException
  if (error.message === '') return code ?? error.name
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`
}
