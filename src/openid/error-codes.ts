/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_AUTHORIZATION_SERVER_UNREACHABLE: {
    meaning: 'An authorization server sent no valid response. Requests that need it get 503.',
    action: 'Check that it runs and can be reached, and the URLs of the Issuer or client registration.',
  },
}
