import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_FILTER', {
  ADVICE_REPEATED: {
    message:
      'the browser came back from the login page with the same session, and the policy decision has the same advice: 403 instead of another redirect; check that the login page reads the advice and that the login it asks for exists',
    meaning: 'The user gets 403 instead of an endless redirect.',
    action: 'Check that the login page reads the advice and that the login it asks for exists.',
  },
  CROSS_DOMAIN_LOGIN_FAILED: {
    message: 'a login failed',
    meaning: 'A user was not logged in.',
    action: 'See the reason; check the agent and its redirect URLs at the access manager.',
  },
  CROSS_DOMAIN_LOOKUP_FAILED: {
    message: 'session lookup failed: requests of this route get 503',
    meaning: 'Requests of this route get 503.',
    action: 'Check that the access manager can be reached.',
  },
  DECISION_UNAVAILABLE: {
    message: 'policy decision unavailable',
    meaning: 'Requests of this route get 503 or 500.',
    action: 'Check that the access manager can be reached, and the policy set (`application`).',
  },
  EXCHANGE_FAILED: {
    message: 'a token can not be exchanged',
    meaning: 'The request goes to the failure handler.',
    action: 'Check the token endpoint and the client authentication.',
  },
  HEADER_VALUE_LEFT_OUT: {
    message: 'header value left out',
    meaning: 'The header was not set, since its value is not allowed in HTTP.',
    action: 'Correct the expression.',
  },
  LOGIN_FAILED: {
    message: 'a login failed',
    meaning: 'A user was not logged in.',
    action: 'See the error: it is that of the authorization server or of the client registration.',
  },
  LOGOUT_FAILED: {
    message: 'logout token not processed: sessions of the user stay open',
    meaning: 'Sessions of the user stay open until they expire.',
    action: 'Check the session store; the provider may send the token again.',
  },
  LOGOUT_TOKEN_REFUSED: {
    message: 'logout token refused',
    meaning: 'No session was ended.',
    action: 'Check issuer, audience and keys of the provider.',
  },
  PARTITIONS_FULL: {
    message: 'there was no room for more partitions: these requests were counted together',
    meaning: 'Requests beyond the number of partitions share one bucket.',
    action: 'Raise `maxPartitions`, or choose a partition expression that clients can not vary.',
  },
  RESOLVER_FAILED: {
    message: 'the resolver failed, so the address is not allowed',
    meaning: 'The address counts as not allowed: the request is refused.',
    action: 'Check the resolver that the entry names.',
  },
  REVOCATIONS_UNAVAILABLE: {
    message: 'revocations unavailable: requests get 503',
    meaning: 'Requests get 503, since revoked sessions can not be recognised.',
    action: 'Check the session store.',
  },
  SESSION_LOOKUP_FAILED: {
    message: 'session lookup failed: requests of this route get 503',
    meaning: 'Requests of this route get 503.',
    action: 'Check that the access manager can be reached.',
  },
  TOKENS_NOT_REVOKED: {
    message: 'tokens not revoked at logout: they can be used until they expire',
    meaning: 'The user is logged out, and the tokens can be used until they expire.',
    action: 'Check the revocation endpoint of the authorization server.',
  },
  TOKENS_NOT_VALIDATED: {
    message: 'tokens can not be validated',
    meaning: 'Requests with tokens get 503.',
    action: 'Check the secrets or keys that the filter verifies with.',
  },
  USER_INFO_REFUSED: {
    message: 'user info refused: user_info is null',
    meaning: '`user_info` is null for this user.',
    action: 'Check the user info endpoint and the scopes of the client.',
  },
})
