import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_HANDLER', {
  CONNECTION_UNRESPONSIVE: {
    message: 'the server of an HTTP/2 connection sends nothing: further requests use another connection',
    meaning:
      'Requests on the connection were aborted without a response; the server did not acknowledge a PING either.',
    action: 'Check the server, and firewalls and load balancers between it and the gateway that drop connections.',
  },
  FILE_UNREADABLE: {
    message: 'no permission to read a file: the request gets 404',
    meaning: 'The request got 404.',
    action: 'Check the permissions of the file.',
  },
  KEYS_NOT_PUBLISHED: {
    message: 'keys can not be published: requests get 503',
    meaning: 'Requests for the JWK Set get 503.',
    action: 'Check the secrets that the handler publishes.',
  },
  NO_BINDING: {
    message: 'no binding matches the request, which gets 404',
    meaning: 'The request got 404.',
    action: 'Add a binding without a condition as the last one.',
  },
})
