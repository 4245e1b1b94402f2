import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_OBJECT', {
  AUTHORIZATION_SERVER_UNUSABLE: {
    message: 'authorization server unavailable, or its response is unusable',
    meaning: 'Requests with tokens get 503.',
    action:
      'See `reason` and `error`. Check that the authorization server can be reached, and that `endpoint` is the URL of its endpoint.',
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
  REVOCATIONS_INCOMPLETE: {
    message:
      'the access manager does not notify of every revoked token: a revoked token is accepted until its TTL in the cache ends, for `seconds` at most',
    meaning: 'A revoked token is accepted until it leaves the cache.',
    action: 'Lower maxTimeout or defaultTimeout of the cache, or use a server that notifies of revocations.',
  },
  TOKENS_DENIED: {
    message: 'access tokens are rejected without a lookup',
    meaning:
      'Requests with tokens that are not cached get 503: notifications are disconnected, or too many lookups are in flight.',
    action:
      'See `reason`: check the notification service of the access manager, or the latency of the authorization server.',
  },
  TOKEN_WITHOUT_ID: {
    message:
      'an access token has no authGrantId, auditTrackingId or jti: it stays in the cache until its TTL ends, or until a notification holds the token or its SHA-256 digest',
    meaning:
      'A notification with an id does not invalidate such a token: a revoked one is accepted until its TTL in the cache ends.',
    action: 'Configure the server to put jti or auditTrackingId into its responses.',
  },
})
