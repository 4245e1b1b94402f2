import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_LISTENER', {
  ABUSIVE_CLIENT: {
    message: 'connection of an abusive client closed',
    meaning: 'The connection was closed to protect other clients.',
    action: 'Nothing; if it persists, block the address in the network.',
  },
  CALLBACK_FAILED: {
    message: 'a callback of the exchange failed',
    meaning: 'The response was not affected.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  CERTIFICATES_NOT_RENEWED: {
    message: 'certificates of the connector could not be renewed: the previous ones stay in use',
    meaning: 'The last good certificates stay in use until they expire.',
    action: 'Check the keystore or secret of the TLS options.',
  },
  CLIENT_CERTIFICATE_REJECTED: {
    message: 'connection of a client without a trusted certificate closed',
    meaning:
      'The client sent no certificate, or one that is expired or of an issuer that is not trusted. It got no response.',
    action: 'Nothing, unless the client is yours: see `problem`, and check its certificate and `trustManager`.',
  },
  CONNECTION_FAILED: {
    message: 'connection could not be processed',
    meaning: 'One connection was closed.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  FAILED: {
    message: 'listener failed',
    meaning: 'The port accepts no connections.',
    action: 'See the error; restart the gateway if it does not recover.',
  },
  HANDLER_FAILED: {
    message: 'the handler failed',
    meaning: 'The request got 500; after a failed request to an upstream the status of that error, such as 502.',
    action: 'See the error: a filter, a handler or a script failed.',
  },
  NO_CERTIFICATE: {
    message: 'no certificate for a server name',
    meaning: 'Handshakes for this server name fail.',
    action: 'Add a certificate for the name, or a default.',
  },
  OUT_OF_FILES: {
    message: 'new connections closed: too many open files; raise the limit (ulimit -n)',
    meaning: 'New connections are closed until others end.',
    action: 'Raise the limit of open files (`ulimit -n`).',
  },
  REQUESTS_REFUSED: {
    message: 'requests are refused',
    meaning: 'Requests of this client violate HTTP or a limit, and got the status.',
    action: 'Nothing, unless the client is yours: then correct it as `advice` says.',
  },
  REQUEST_FAILED: {
    message: 'request could not be processed',
    meaning: 'One request got 500 or its connection was closed.',
    action: 'Report it with the log entry: it is a fault of the gateway.',
  },
  RESPONSE_NOT_SENT: {
    message: 'the response cannot be sent',
    meaning: 'The client got 502 instead of the response, or a truncated one.',
    action: 'Check the filter or script that created the response.',
  },
  RESPONSE_TRUNCATED: {
    message: 'response truncated: its body failed',
    meaning: 'The client got a part of the response and a closed connection.',
    action: 'Check the log of the upstream server.',
  },
})
