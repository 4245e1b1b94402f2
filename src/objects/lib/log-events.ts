import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  AUTHORIZATION_SERVER_UNUSABLE: {
    message: 'authorization server unavailable, or its response is unusable',
    meaning: 'Requests with tokens get 503.',
    action:
      'See `reason` and `error`. Check that the authorization server can be reached, and that `endpoint` is the URL of its endpoint.',
  },
  CERTIFICATE_EXPIRES: {
    message: 'a certificate for TLS has expired or will soon',
    meaning:
      'Peers reject an expired certificate: clients that of a connector, servers that of a handler with client certificate.',
    action: 'Renew the certificate; the gateway reads the new files without a restart.',
  },
  CERTIFICATE_UNREADABLE: {
    message: 'a certificate of the connector can not be read; the last good one stays in use',
    meaning: 'The last good certificate stays in use, also after it has expired.',
    action: 'Check the keystore or secret of the TLS options.',
  },
  CLIENT_KEY_UNUSABLE: {
    message: 'TLS can not use the renewed key of a client certificate; the last good one stays in use',
    meaning: 'Connections to servers are opened with the last good key and certificate, also after it has expired.',
    action: 'See `error`. Renew the key once more, such as with an RSA key of 2048 bits or an EC key.',
  },
  HEADER_LEFT_OUT: {
    message: 'header value left out',
    meaning:
      'The value was omitted: it is no text, or has characters that the encoding of the header can not represent.',
    action: 'Correct the expression, or set `encoding` of a HeaderFilter to UTF-8.',
  },
  INTROSPECTION_REFUSED: {
    message: 'the authorization server rejected the introspection request',
    meaning: 'The request got 400: the token could not be validated.',
    action: 'See `reason`: the error of the server. Check the URL of the introspection endpoint.',
  },
  INTROSPECTION_UNAUTHORIZED: {
    message:
      'the authorization server refuses the credentials of the gateway: requests get 503; check the client authentication in providerHandler, and whether the client may introspect tokens',
    meaning: 'Requests with tokens get 503.',
    action: 'Check the client authentication in providerHandler, and whether the client may introspect tokens.',
  },
  PROXY_PASSWORD_UNREADABLE: {
    message: 'the password of the proxy can not be read; the last good one stays in use',
    meaning: 'The last good password stays in use.',
    action: 'Check the secret of the proxy.',
  },
  REVOCATIONS_INCOMPLETE: {
    message:
      'the access manager does not notify of every revoked token: a revoked token is accepted until its TTL in the cache ends, for `seconds` at most',
    meaning: 'A revoked token is accepted until it leaves the cache.',
    action: 'Lower maxTimeout or defaultTimeout of the cache, or use a server that notifies of revocations.',
  },
  SCRIPT_NOT_RELOADED: {
    message: 'the changed script can not be used; the last good one stays in use',
    meaning: 'The last good version of the script stays in use.',
    action: 'Correct the script; `gateway script check` lists its problems.',
  },
  SESSION_NOT_ENDED: {
    message: 'the access manager did not end a session',
    meaning:
      'It forbids the logout (403): the session stays valid there until it expires, while the browser loses its cookie.',
    action: 'Check the privileges of users at the access manager.',
  },
  SESSION_VALID_AFTER_LOGOUT: {
    message:
      'the access manager accepts a session after its logout: client-based sessions stay valid until they expire; enable the list of logged-out sessions in its session service',
    meaning: 'A copied session cookie works until the session expires.',
    action: 'Enable the list of logged-out sessions in the session service of the access manager.',
  },
  TOKENS_DENIED: {
    message: 'access tokens are rejected without a lookup',
    meaning:
      'Requests with tokens that are not cached get 503: notifications are disconnected, or too many lookups are in flight.',
    action:
      'See `reason`: check the notification service of the access manager, or the latency of the authorization server.',
  },
  TOKEN_REQUEST_FAILED: {
    message: 'token request failed',
    meaning: 'Requests that need the token get 502 or 503.',
    action: 'Check the token endpoint and the client authentication.',
  },
  TOKEN_WITHOUT_ID: {
    message:
      'an access token has no authGrantId, auditTrackingId or jti: it stays in the cache until its TTL ends, or until a notification holds the token or its SHA-256 digest',
    meaning:
      'A notification with an id does not invalidate such a token: a revoked one is accepted until its TTL in the cache ends.',
    action: 'Configure the server to put jti or auditTrackingId into its responses.',
  },
})
