import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_RESOLVER', {
  NO_ACTIVE_TOKEN: {
    message:
      'no access token has been active so far: OpenAM answers introspection only for the client that a token was issued to, not for an agent; authenticate in providerHandler as that client, or use OpenAmAccessTokenResolver',
    meaning: 'Every token since the last load of the route was rejected.',
    action:
      'Authenticate in providerHandler as the client that the tokens were issued to, or use OpenAmAccessTokenResolver.',
  },
  TOKENS_NOT_VERIFIED: {
    message: 'access tokens can not be verified',
    meaning: 'Requests with tokens get 503.',
    action: 'See `reason`: check the keys that the resolver verifies with, or the issuer that publishes them.',
  },
})
