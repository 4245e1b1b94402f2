/** No response, a timeout, or a response that does not follow the protocol. */
export class ServerUnreachableError extends Error {
  readonly code = 'GW_AUTHORIZATION_SERVER_UNREACHABLE'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServerUnreachableError'
  }
}
