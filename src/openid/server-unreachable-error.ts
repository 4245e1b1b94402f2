/** No answer came, or not in time, or one that is not of the protocol. */
export class ServerUnreachableError extends Error {
  readonly code = 'GW_AUTHORIZATION_SERVER_UNREACHABLE'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServerUnreachableError'
  }
}
