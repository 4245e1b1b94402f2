/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_CLIENT_GONE: {
    meaning: 'The client closed the connection before the response.',
    action: 'Nothing, unless it is frequent: then check timeouts of clients and load balancers.',
  },
  GW_REQUEST_BODY: {
    meaning: 'The body of the request does not match its framing or Content-Length. The client gets 400 or 413.',
    action: 'Check the client; the upstream request was aborted.',
  },
  GW_TLS_IDENTITY: {
    meaning: 'The certificate of a server was rejected: name, validity or issuer.',
    action: 'Check `trustManager`, `hostnameVerifier` and the certificate; the message names the reason.',
  },
  GW_UNPROCESSED: {
    meaning:
      'The server did not process the request, so that it can be sent again: HTTP/2 says so, or nothing of it was written yet.',
    action: 'Nothing: the gateway sends it on another connection.',
  },
  GW_UPGRADE_REFUSED: {
    meaning: 'The server answered a WebSocket handshake with a status other than 101.',
    action: 'Check path, origin and subprotocols of the WebSocket, and the log of the server.',
  },
  GW_UPSTREAM_CLOSED: {
    meaning:
      'The upstream server closed the connection before its response was complete. The client gets 502 or a truncated response.',
    action: 'Check the log of the server, and idle timeouts between it and the gateway.',
  },
  GW_UPSTREAM_CONNECT: {
    meaning: 'No connection to the upstream server could be opened. The client gets 502.',
    action: 'Check that the server runs, and check the network, its name and its certificate.',
  },
  GW_UPSTREAM_LOOP: {
    meaning: 'The target of a request is a connector of this gateway. The client gets 508.',
    action: 'Set `baseURI` to the application.',
  },
  GW_UPSTREAM_POOL_FULL: {
    meaning: 'No connection of the pool was free in time. The client gets 503.',
    action: 'Raise `connections` or `maxWaitQueueSize` of the handler, or make the server faster.',
  },
  GW_UPSTREAM_PROTOCOL: {
    meaning: 'The upstream server sent bytes that are not valid HTTP. The client gets 502.',
    action: 'Check what listens at the target, and whether it expects TLS or HTTP/2.',
  },
  GW_UPSTREAM_PROXY: {
    meaning: 'The forward proxy refused the request. The client gets 502.',
    action: 'Check the credentials and rules of the proxy.',
  },
  GW_UPSTREAM_REQUEST: {
    meaning: 'The request, as changed by filters, is not valid HTTP. The client gets 502.',
    action: 'Check the filters and scripts that changed method, URI or headers.',
  },
  GW_UPSTREAM_TIMEOUT: {
    meaning: 'The upstream server sent no byte within `soTimeout`. The client gets 504.',
    action: 'Raise `soTimeout` of the handler, or check the server.',
  },
  GW_UPSTREAM_TOO_LARGE: {
    meaning: 'A response that had to be buffered exceeds the limit. The client gets 502.',
    action: 'Raise the limits of `temporaryStorage`, or stream responses.',
  },
}
