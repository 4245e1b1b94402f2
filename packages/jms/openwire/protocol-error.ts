/** The peer sent bytes that are not OpenWire as negotiated. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}
