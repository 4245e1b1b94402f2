/** Error codes of this folder: docs/reference/errors.md is generated from it. */
export const ERROR_CODES = {
  GW_CIRCUIT_OPEN: {
    meaning: 'The circuit breaker is open: the request was not sent.',
    action: 'Check the upstream server; the breaker closes automatically after `openDuration`.',
  },
}
