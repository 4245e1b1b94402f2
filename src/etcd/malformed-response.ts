/** The peer sent something that is no response of etcd; the message says what was expected where. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}
