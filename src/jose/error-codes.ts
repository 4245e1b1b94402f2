/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_KEY_UNSUITABLE: {
    meaning: 'A key can not be used for the configured algorithm.',
    action: 'Use a key of the right type and length for the algorithm that the message names.',
  },
  GW_TOKEN_INVALID: {
    meaning: 'A token was rejected: its signature, encryption, issuer, audience, time or form is invalid.',
    action: 'See the reason in the message; check clocks, keys and `issuer`/`audience` of the filter.',
  },
}
