import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_FILTER', {
  EVENT_FAILED: {
    message: 'audit event of an AuditFilter could not be built and is not published',
    meaning: 'An expression in fields failed, or gave a value that JSON can not hold. The request is not affected.',
    action: 'Check the expressions in fields of the filter.',
  },
  ADVICE_REPEATED: {
    message:
      'redirect loop: the browser returned from the login page with the same session, and the policy decision has the same advice; the request is denied instead of redirected again; check that the login page reads the advice and that the authentication it demands exists',
    meaning: 'The user gets 403, or the response of `failureHandler`, instead of endless redirects.',
    action: 'Check that the login page reads the advice and that the authentication it demands exists.',
  },
  CONTENT_NOT_SEARCHED: {
    message: 'content not searched by an EntityExtractFilter',
    meaning:
      'The content of `subject` is too long, or can not be decoded: 413 or 415 for a request, 502 for a response.',
    action: 'See `problem`; raise `entityLimits` of admin.json, or simplify the pattern, for longer content.',
  },
  COOKIE_LEFT_OUT: {
    message: 'cookie left out',
    meaning:
      'A SetCookieUpdateFilter gave an attribute a value that no cookie can have; the cookie was removed from the response.',
    action: 'Correct the expression of the attribute in `reason`.',
  },
  CRYPTO_HEADER_REMOVED: {
    message: 'header value removed: it can not be encrypted or decrypted',
    meaning: 'The message is passed on without the value of that header field.',
    action: 'Check the key and `algorithm` at both ends; a client may also have sent another value.',
  },
  CROSS_DOMAIN_LOGIN_FAILED: {
    message: 'a login failed',
    meaning: 'A user was not logged in.',
    action: 'See the reason; check the agent and its redirect URLs at the access manager.',
  },
  CROSS_DOMAIN_LOOKUP_FAILED: {
    message: 'session lookup failed: requests of this route get 503',
    meaning: 'Requests of this route get 503.',
    action: 'See `error`: check that the access manager and its JWK Set can be reached.',
  },
  DECISION_UNAVAILABLE: {
    message: 'policy decision unavailable',
    meaning: 'Requests of this route get 503 or 500.',
    action: 'Check that the access manager can be reached, and the policy set (`application`).',
  },
  EXCHANGE_FAILED: {
    message: 'token exchange failed',
    meaning: 'The request goes to `failureHandler`; without one it gets 403, 502 or 503.',
    action:
      'See `reason` and `description`: the request had no token, the server rejected it, or the token endpoint or the client authentication is at fault.',
  },
  FILE_NOT_READ: {
    message: 'changed file of a FileAttributesFilter can not be read: the last good records count',
    meaning: 'Requests get the records of the file as it was before the change.',
    action: 'See `problem`: correct the file, or the permission to read it; it is read again when it changes.',
  },
  HEADER_VALUE_LEFT_OUT: {
    message: 'header value left out',
    meaning: 'The header was removed: its value has characters outside ISO-8859-1.',
    action: 'Correct the expression, or use a HeaderFilter with `encoding` UTF-8.',
  },
  LOGIN_FAILED: {
    message: 'a login failed',
    meaning: 'A user was not logged in.',
    action:
      'See `error`: an error of the authorization server or of the client registration, or a login that is unknown, expired or in a redirect loop.',
  },
  LOGOUT_FAILED: {
    message: 'logout token not processed: sessions of the user stay open',
    meaning: 'Sessions of the user stay open until they expire.',
    action: 'See `error`: check the session store and the keys of the provider; the provider may send the token again.',
  },
  LOGOUT_TOKEN_REFUSED: {
    message: 'logout token rejected',
    meaning: 'No session was ended.',
    action: 'Check issuer, audience and keys of the provider.',
  },
  NO_CAPTURED_PASSWORD: {
    message: 'session without the property sunIdentityUserPassword: the request gets 403',
    meaning: 'The access manager did not store the password of the user, or does not return the property.',
    action:
      'Check the plugin JwtReplayPassword and the allowlist of session properties of the access manager, and sessionProperties of the AmService.',
  },
  PAGE_NOT_SEARCHED: {
    message: 'page not searched for the login page: it is passed on',
    meaning: 'A pattern of a PasswordReplayFilter takes too long on a page. If it is the login page, the user sees it.',
    action: 'Use a literal text as `loginPageContentMarker`, which is found in long pages too, or use `loginPage`.',
  },
  PASSWORD_NOT_DECRYPTED: {
    message: 'captured password not decrypted: the request gets 500',
    meaning: 'The key can not be read, has another length, or is not that of the access manager.',
    action:
      'Check `keySecretId` and `keyType`, and the key of the access manager (am.authentication.replaypassword.key).',
  },
  PARTITIONS_FULL: {
    message: 'maximum of partitions reached: `requests` requests of further partitions shared one bucket',
    meaning: 'Requests of partitions beyond the maximum share one bucket.',
    action: 'Raise `maxPartitions`, or choose a partition expression that clients can not vary.',
  },
  RESOLVER_FAILED: {
    message: 'the resolver of the client address failed: the rule does not match',
    meaning: 'The rule does not match: the request is rejected, unless another rule allows it.',
    action: 'Correct the expression in `resolver`.',
  },
  REVOCATIONS_UNAVAILABLE: {
    message: 'revocations unavailable: requests get 503',
    meaning: 'Requests of this route get 503, since revoked sessions can not be recognised.',
    action: 'Check the session store.',
  },
  PROFILE_UNAVAILABLE: {
    message: 'user profile unavailable',
    meaning: 'Requests of this route get 503 or 500.',
    action: 'Check that the access manager can be reached, and that the agent may read profiles of users.',
  },
  SIDEBAND_FAILED: {
    message: 'Sideband API failed',
    meaning: 'The request gets 503 or 502.',
    action: 'See `error`: check that the API can be reached, `gatewayServiceUri` and the credential.',
  },
  SESSION_LOOKUP_FAILED: {
    message: 'session lookup failed: requests of this route get 503',
    meaning: 'Requests of this route get 503.',
    action: 'Check that the access manager can be reached.',
  },
  SQL_FAILED: {
    message: 'statement of a SqlAttributesFilter failed: the request is rejected',
    meaning: 'The request gets 503 where the database is unavailable or too slow, 500 where it rejects the statement.',
    action: 'See `error`: check the database, and the statement of the filter.',
  },
  TRANSFORMATION_FAILED: {
    message: 'token transformation failed',
    meaning: 'Requests of this route get 503 or 500.',
    action: 'Check that the access manager can be reached, the STS instance, and that the agent may use it.',
  },
  SESSION_NOT_ENDED: {
    message: 'a user is logged out here and not at the provider: its end-session endpoint is not known',
    meaning: 'The metadata of the provider can not be read. The user got a page that says so, with status 503.',
    action: 'Check that the `wellKnownEndpoint` of the Issuer can be reached.',
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
  UMA_SERVER_FAILED: {
    message: 'authorization server for UMA failed: requests for shared resources get 403',
    meaning:
      'No token could be introspected, or no ticket requested, for the share; the client gets 403 with a Warning.',
    action:
      'See `error`: check that the server can be reached; a status 401 or 403 means that the protection API token of the share has expired: the resource owner has to share the resource again.',
  },
  USER_INFO_REFUSED: {
    message: 'user info rejected: user_info is null',
    meaning: '`user_info` is null for this user.',
    action: 'Check the user info endpoint and the scopes of the client.',
  },
})
